"""What a Python function with state costs on Spark's streams, by keys and by the size of micro-batches."""

from __future__ import annotations

from collections.abc import Callable

from experiments.python_peers import BY_KEY, peer
from harness import engine, java
from harness.experiment import Experiment, Measured, Metric, Plan, Point, Run, Subject

FIRST = Metric("first_s", "first micro-batch, s")
STARTING_S = 15.0
POINTS: list[Point] = [{"of": BY_KEY, "keys": keys, "batch_rows": rows}
                       for keys, rows in ((100, 4_000), (1_000, 4_000), (10_000, 20_000), (100, 20_000))]
SMALL: Point = {"of": BY_KEY, "keys": 10, "batch_rows": 1_000}
"""Of a quick run, which has the function alone."""
LEAST_S = 5.0
"""Of warm-up, of what counts, and of waiting for the end of a micro-batch: one of 10,000 keys takes four seconds and more."""


def _ours(mode: str) -> Callable[[Run], Measured]:
    """With the time from the query's start to the end of its first micro-batch."""
    def measured(run: Run) -> Measured:
        found = peer("on spark", "graph_on_spark.py", mode=mode, at_least_s=LEAST_S)(run)
        (meter,) = (run.folder / "meters").iterdir()
        return Measured({**found.values, FIRST.name: first_s(meter.read_text())}, found.raw)
    return measured


def first_s(meter: str) -> float:
    """From a meter's first line to its second."""
    began, ended = (float(line.split()[0]) for line in meter.splitlines()[:2])
    return ended - began


def _in_full(point: Point) -> bool:
    return point != SMALL


EXPERIMENT = Experiment(
    name="python_on_spark",
    doc="""The mean by key of `python_peers` as a stream of Spark's in one process (`local[1]`), in micro-batches of so many rows:
    by a function of ours, which the engine's operator calls within Spark's JVM; by `scan`, the engine's fold there, which calls
    none, so it is what any function of that way takes at least; and by Spark's own `transformWithState` in Python, written by
    hand. Processor time is that of all processes. The first micro-batch is timed from the start of its query, in a session that
    is there.""",
    subjects=(Subject("function", _ours("function"), STARTING_S),
              Subject("fold", _ours("fold"), STARTING_S, at=_in_full),
              Subject("spark", peer("spark", "spark_job.py", at_least_s=LEAST_S), STARTING_S, at=_in_full)),
    metrics=(engine.PER_S, engine.CPU, FIRST),
    baseline="function",
    full=Plan(POINTS, repeats=1, warm_up_s=10, seconds=24),
    quick=Plan([SMALL], repeats=1, warm_up_s=5, seconds=8),
    remarks="A round takes ten minutes, so there is one.",
    needs=(java.java_needed,),
)
