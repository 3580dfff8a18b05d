"""How soon commands to a running graph are answered, at rest and at full load."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median, quantiles

from despina.job import Job
from harness import graphs, java, silent
from harness.api import counted, job, session, until
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject

STATUS = Metric("status_ms", "ms to the answer of `status`, median")
FLUSH = Metric("flush_ms", "ms to the answer of `flush`, median")
SYNC = Metric("sync_ms", "ms until a mark has passed four hops, median")
HOLD = Metric("hold_ms", "ms to the answer of `hold`, median")
GO = Metric("go_ms", "ms to the answer of `go`, median")
SYNC_TAIL = Metric("sync_p95_ms", "ms until a mark has passed four hops, p95")
REST, FULL = {"load": "none"}, {"load": "full"}
HOPS = 4
QUEUE_TARGET_MS = 100
PAUSE_S = 0.05
"""Between two commands, so that they do not fill the graph with marks."""
DEPLOYMENT = graphs.deployment({"source": ["near"], "relay_2": ["near"], "sink": ["near"], "*": ["far"]})
"""Each hop is a TCP connection."""


def told(run: Run) -> Measured:
    """A chain of three relays over two resources, 50-byte packets; commands one after the other."""
    graph = graphs.relay(50, stages=HOPS - 1)
    if run.point == REST:
        silent.silent(graph)
    with session() as engine, job(graph, engine, deployment=DEPLOYMENT) as running:
        until(running, "running")
        if run.point == FULL:
            counted([running], "sink")
        commands = ("status", "flush", "sync", *(("hold", "go") if run.point == REST else ()))
        _times(running, commands, run.warm_up_s)
        found = _times(running, commands, run.seconds)
    return Measured({**{f"{command}_ms": median(times) for command, times in found.items()},
                     SYNC_TAIL.name: quantiles(found["sync"], n=20)[-1]}, found)


def _times(running: Job, commands: Sequence[str], seconds: float) -> dict[str, list[float]]:
    """Milliseconds of each command, as the caller waits for it."""
    found: dict[str, list[float]] = {command: [] for command in commands}
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s or len(found["sync"]) < 2:
        for command, times in found.items():
            began = time.monotonic()
            running.control(command)
            times.append(1e3 * (time.monotonic() - began))
            time.sleep(PAUSE_S)
    return found


def _answered(metric: Metric) -> Claim:
    return Claim(f"at rest, `{metric.name.removesuffix('_ms')}`, ms",
                 lambda result: result.estimate(metric.name, "despina", REST), at_most=5.0)


EXPERIMENT = Experiment(
    name="control",
    doc="""Commands to all operators of a chain of three relays over two resources, four hops, 50-byte packets: how long the
    caller waits for the answers of all instances, while nothing comes and while the source sends flat out. `sync` is
    answered when its mark has passed the sink, behind what is queued; `hold` and `go` are for the source, at rest.""",
    subjects=(Subject("despina", told),),
    metrics=(STATUS, FLUSH, SYNC, SYNC_TAIL, HOLD, GO),
    full=Plan([REST, FULL], warm_up_s=6, seconds=20),
    quick=Plan([REST, FULL], repeats=1, warm_up_s=2, seconds=4),
    claims=(
        *map(_answered, (STATUS, FLUSH, SYNC, HOLD, GO)),
        Claim("at full load, `sync` through four hops, p95 in ms",
              lambda result: result.estimate(SYNC_TAIL.name, "despina", FULL), at_most=HOPS * 2 * QUEUE_TARGET_MS),
    ),
    needs=(java.java_needed,),
)
