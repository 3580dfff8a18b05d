"""What two runs of a query over different numbers of events tell of each event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.experiment import Measured
from harness.processes import RunError

LIMIT_S = 900.0
"""Of one run."""
MEGA = 1e6


@dataclass(frozen=True)
class Spent:
    """One run of a query.

    :ivar seconds: from when the engine was given it to its end
    :ivar cpu_s: that the engine's processes took meanwhile
    """

    events: int
    seconds: float
    cpu_s: float


def figures(part: Spent, whole: Spent, *, peak_bytes: int, rows: int, flags: Mapping[str, Sequence[str]]) -> Measured:
    """Per event, of the difference of two runs, so that what it takes to start, plan and end is in none of them.

    :param rows: that were compared with the oracle's before
    :param flags: of the JVMs, by process
    :raise RunError: the larger run took no longer
    """
    events, seconds, cpu_s = whole.events - part.events, whole.seconds - part.seconds, whole.cpu_s - part.cpu_s
    if min(events, seconds, cpu_s) <= 0:
        raise RunError(f"{whole.events:,} events took {whole.seconds:.2f} s and {whole.cpu_s:.2f} CPU-s, {part.events:,} of them "
                       f"{part.seconds:.2f} s and {part.cpu_s:.2f} CPU-s: the difference tells nothing")
    values = {"cpu_s_per_million": cpu_s / events * MEGA, "per_s": events / seconds, "peak_mb": peak_bytes / MEGA,
              "fixed_cpu_s": whole.cpu_s - cpu_s / events * whole.events}
    return Measured(values, {"rows_verified": rows, "runs": [vars(part), vars(whole)], "costs": {"jvm_flags": dict(flags)}})
