"""Memory over time: what lives on the heaps, what the kernel holds."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from harness.experiment import Measured
from harness.processes import RunError
from harness.sampling import Costs

MEGA = 1e6
TIMEOUT_S = 60
_TOTAL = re.compile(r"^Total\s+\d+\s+(\d+)", re.MULTILINE)


def live_bytes(pids: Sequence[int]) -> int:
    """What full collections leave on the heaps of these JVMs.

    :raise RunError: a JVM does not answer
    """
    return sum(_live(pid) for pid in pids)


def _live(pid: int) -> int:
    jcmd = Path(f"/proc/{pid}/exe").resolve().with_name("jcmd")
    try:
        said = subprocess.run([str(jcmd), str(pid), "GC.class_histogram"], capture_output=True, text=True, timeout=TIMEOUT_S,
                              check=True).stdout
    except (OSError, subprocess.SubprocessError) as failed:
        raise RunError(f"the heap of process {pid} cannot be looked at: {failed}") from failed
    return parse_total(said)


def parse_total(histogram: str) -> int:
    """The bytes in the last line of ``GC.class_histogram``."""
    found = _TOTAL.search(histogram)
    if found is None:
        raise RunError(f"no total in {histogram[-200:]!r}")
    return int(found.group(1))


def grown(found: Measured, costs: Costs, live: tuple[int, int]) -> Measured:
    """The figures of a run, with how its memory grew.

    :param live: bytes at the window's begin and end
    """
    values = dict(found.values)
    values["live_mb"] = live[1] / MEGA
    values["live_growth_mb"] = (live[1] - live[0]) / MEGA
    if len(costs.resident_bytes) > 1:
        values["resident_growth_mb"] = (costs.resident_bytes[-1] - costs.resident_bytes[0]) / MEGA
    if costs.socket_memory_bytes:
        values["socket_mb"] = max(costs.socket_memory_bytes) / MEGA
    return Measured(values, found.raw)
