"""The long runs: a slow sink behind 2 GB, and a hundred jobs in one resource. Prints what was measured; exits 1 if it grew.

    .venv/bin/python tools/soak.py
    .venv/bin/python tools/soak.py --only cycles --cycles 20

``tests/e2e`` has both too, the second in small; what they look at, and how, is there.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from e2e import cycles, slow_sink
from e2e.memory import TRACKED

MB = 1 << 20


def slow(engine: Engine, megabytes: int) -> list[str]:
    """64 KB packets through a relay that sleeps 1 ms each.

    :return: what is wrong
    """
    found = slow_sink.run(engine, megabytes * MB)
    got = found.report["operators"]["sink"]["packets_in"]
    paused = found.report["links"]["source->slow"]["paused_ms"]
    print(f"slow sink: {got:,} of {found.packets:,} packets verified in {found.report['measured_s']:.0f} s, the source "
          f"paused for {paused / 1000:.0f} s and {found.ahead_bytes / MB:.0f} MB ahead at most")
    wrong = [] if got == found.packets else ["packets are missing"]
    for name, looks in found.resident.items():
        warm, ended = found.warm[name], found.ended[name]
        print(f"  {name}: resident {min(looks) / MB:.1f} to {max(looks) / MB:.1f} MB, live heap {warm.heap / MB:.1f} then "
              f"{ended.heap / MB:.1f} MB, direct {warm.direct / MB:.2f} then {ended.direct / MB:.2f} MB")
    return wrong + found.grown()


def again(engine: Engine, times: int) -> list[str]:
    """A job started and ended so often in one resource.

    :return: what grew
    """
    found = cycles.run(engine, times)
    for cycle, memory in ((times // 2, found.half), (times, found.whole)):
        print(f"cycle {cycle}: {memory.threads} threads, direct {memory.direct / MB:.3f} MB, metaspace "
              f"{memory.metaspace / MB:.2f} MB, live heap {memory.heap / MB:.1f} MB, resident {memory.resident / MB:.0f} MB")
    return [f"{name} grew" for name in found.grown()]


def main() -> int:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["slow", "cycles"], help="one run instead of both")
    parser.add_argument("--megabytes", type=int, default=2048, help="through the slow sink (%(default)s)")
    parser.add_argument("--cycles", type=int, default=100, help="start and end of a job (%(default)s)")
    arguments = parser.parse_args()
    os.environ.update(TRACKED)
    wrong: list[str] = []
    with closing(Py4jDriver(["-Xmx512m"])) as driver:
        engine = Engine(driver, "py4j")
        if arguments.only != "cycles":
            wrong += slow(engine, arguments.megabytes)
        if arguments.only != "slow":
            wrong += again(engine, arguments.cycles)
    print("; ".join(wrong) or "nothing grew, nothing is missing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
