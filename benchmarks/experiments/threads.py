"""Workers that serve their own sockets, and NEPTUNE's two pools: workers and IO threads beside them."""

from __future__ import annotations

from collections.abc import Callable

from harness import engine, graphs, java
from harness.experiment import Experiment, Figure, Measured, Plan, Point, Run, Subject
from harness.plots import Lines, lines

FLAT_OUT = 0
RATES = (100, 20_000, 100_000, 1_000_000, FLAT_OUT)
TOLD = (20_000, 1_000_000, FLAT_OUT)
"""Of the full plan."""
PLACE = {"source": ["near"], "relay": ["far"], "sink": ["near"]}
OWN = "workers alone"


def _subject(io_threads: int) -> Callable[[Run], Measured]:
    def relay(run: Run) -> Measured:
        rate = run.point["rate_per_s"]
        report = engine.timed(run, graphs.relay(50, rate_per_s=rate or None), graphs.deployment(PLACE, io_threads=io_threads))
        values = engine.measured(report).values
        kept = ("per_s", "cpu_s_per_million", "switches_per_s", *(("p50_ms", "p99_ms") if rate else ()))
        return Measured({name: values[name] for name in kept}, report)
    return relay


def _at(rate: int) -> Point:
    return {"rate_per_s": rate}


EXPERIMENT = Experiment(
    name="threads",
    doc="""The relay of 50-byte packets in two processes, at fixed rates and flat out (0), by `io_threads` of both: 0, the
    default, where a worker serves the sockets of its own tasks, and 1 and 2, where threads of their own do, as in NEPTUNE.
    Latency is from due times; flat out it is that of full queues, and left out.""",
    subjects=(Subject(OWN, _subject(0), 3), Subject("1 IO thread", _subject(1), 3), Subject("2 IO threads", _subject(2), 3)),
    metrics=(engine.PER_S, engine.P50, engine.P99, engine.CPU, engine.SWITCHES),
    baseline=OWN,
    compared="cpu_s_per_million",
    full=Plan([_at(rate) for rate in TOLD], repeats=3, warm_up_s=3, seconds=5),
    long=Plan([_at(rate) for rate in RATES], warm_up_s=6, seconds=8),
    quick=Plan([_at(20_000)], repeats=1, warm_up_s=2, seconds=3),
    figures=(Figure("cpu", lines(Lines("rate_per_s", engine.CPU, log_y=True, title="processor time"),
                                 Lines("rate_per_s", engine.P99, log_y=True, title="latency")), (11, 4.4)),),
    needs=(java.java_needed,),
    remarks="""Three rounds: no claim is made of it. The long plan has 100 and 100,000 packets/s, too.""",
)
