"""Many jobs in one resource, one after the other: threads, memory and processes must not grow. Prints what was measured.

    .venv/bin/python tools/soak.py --cycles 100

Compares the last cycle with the middle one; exits 1 if threads or open files grew, or resident memory by over 5 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from despina.graph import Graph, RunOptions

GROWTH = 1.05
GRAPH = {
    "format": 1, "name": "soak",
    "operators": {
        "source": {"type": "generator_source", "count": 20_000, "rows": {"type": "select", "select": ["id AS n", "id % 7 AS k"]}},
        "kept": {"type": "filter", "where": "n % 2 = 0"},
        "sums": {"type": "aggregate", "group_by": ["k"], "select": ["k", "sum(n) AS total"]},
        "sink": {"type": "collect_sink"},
    },
    "links": [{"from": "source", "to": "kept"}, {"from": "kept", "to": "sums", "fuse": False}, {"from": "sums", "to": "sink"}],
}


def measure(pid: int) -> dict[str, int]:
    """Threads, open files and resident kB of a process."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {"threads": int(fields["Threads"]), "files": len(list(Path(f"/proc/{pid}/fd").iterdir())),
            "resident_kb": int(fields["VmRSS"].split()[0])}


def main() -> int:
    """Runs the cycles."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=100)
    cycles = parser.parse_args().cycles
    driver = Py4jDriver(["-Xmx256m"])
    middle: dict[str, int] = {}
    try:
        engine, graph = Engine(driver, "py4j"), Graph(json.dumps(GRAPH), "soak.graph.json")
        for cycle in range(1, cycles + 1):
            started = time.monotonic()
            with graph.start(engine, RunOptions()) as job:
                totals = {row["k"]: row["total"] for row in job.rows()}
            wanted = {k: sum(n for n in range(0, 20_000, 2) if n % 7 == k) for k in range(7)}
            if totals != wanted:
                print(f"cycle {cycle}: wrong rows: {totals}, not {wanted}", file=sys.stderr)
                return 1
            found = measure(driver.pid)
            if cycle == cycles // 2:
                middle = found
            if cycle % 10 == 0 or cycle == cycles:
                print(f"cycle {cycle:4}  {time.monotonic() - started:5.2f} s  {found}", flush=True)
    finally:
        driver.close()
    grown = [name for name in ("threads", "files") if found[name] > middle[name]]
    if found["resident_kb"] > GROWTH * middle["resident_kb"]:
        grown.append("resident_kb")
    print(f"grown since cycle {cycles // 2}: {', '.join(grown) or 'nothing'}")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
