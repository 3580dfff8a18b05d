"""What all processes of a run take within a window: JVMs, and those of Python that they or others start."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.api import counted, job, session
from harness.engine import CPU, PER_S
from harness.experiment import Measured, Metric, Run
from harness.sampling import cpu_seconds, resident_bytes

RESIDENT = Metric("resident_mb", "MB resident")
MEGA = 1e6


@dataclass(frozen=True)
class Moment:
    """What a run's processes have taken so far.

    :ivar at_s: of the monotonic clock
    :ivar cpu_s: by process, of those that live
    """

    at_s: float
    cpu_s: Mapping[int, float]
    resident_bytes: int


def look(run: Run) -> Moment:
    """Of now."""
    pids = [member.pid for member in run.processes.members()]
    return Moment(time.monotonic(), cpu_seconds(pids), sum(map(resident_bytes, pids)))


def figures(began: Moment, ended: Moment, rows: float) -> Measured:
    """Of so many rows between two moments. A process that began in between counts in full, one that has ended does not count."""
    cpu_s = sum(spent - began.cpu_s.get(pid, 0.0) for pid, spent in ended.cpu_s.items())
    return Measured({PER_S.name: rows / (ended.at_s - began.at_s), CPU.name: cpu_s / rows * MEGA,
                     RESIDENT.name: ended.resident_bytes / MEGA},
                    {"rows": rows, "seconds": ended.at_s - began.at_s, "cpu_s": cpu_s, "processes": len(ended.cpu_s)})


def in_a_graph(run: Run, graph: Path | Mapping[str, Any], **options: Any) -> Measured:
    """A graph without end, in an engine of its own: rows that arrive at its sink, a warm-up after the first one.

    :param options: of the job
    """
    with session() as engine, job(graph, engine, **options) as running:
        counted([running], "sink")
        time.sleep(run.warm_up_s)
        began, (before,) = look(run), counted([running], "sink")[1]
        time.sleep(run.seconds)
        ended, (after,) = look(run), counted([running], "sink")[1]
    return figures(began, ended, after - before)
