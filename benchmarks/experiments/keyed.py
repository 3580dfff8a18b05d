"""A running count per key, over few keys and many."""

from __future__ import annotations

from collections.abc import Callable

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject

KEYS = (100, 10_000, 100_000, 1_000_000)
GRAPHS = {"aggregate, a row per packet": "keyed_each", "aggregate, rows at the end": "keyed_final", "scan": "keyed_scan"}


def _subject(graph: str) -> Callable[[Run], Measured]:
    def count(run: Run) -> Measured:
        path = graphs.GRAPHS / f"{graph}.graph.json"
        return engine.measured(engine.timed(run, path, parameters={"keys": run.point["keys"]}), "counts")
    return count


def _point(keys: int) -> Point:
    return {"keys": keys}


def _claim(name: str) -> Claim:
    return Claim(f"100,000 keys, {name}: packets/s", lambda result: result.estimate("per_s", name, _point(100_000)), at_least=8e6)


EXPERIMENT = Experiment(
    name="keyed",
    doc="""`count(*)` per key, keys in no order, of packets that a source in a task of its own makes: as an aggregate that
    emits a row per packet, as one that emits at the end (here: never), and as a scan.""",
    subjects=tuple(Subject(name, _subject(graph)) for name, graph in GRAPHS.items()),
    metrics=(engine.PER_S, engine.CPU),
    baseline="scan",
    full=Plan([_point(keys) for keys in KEYS], seconds=5),
    quick=Plan([_point(100_000)], repeats=1, warm_up_s=3, seconds=3),
    claims=tuple(_claim(name) for name in GRAPHS),
    needs=(java.java_needed,),
    remarks="""The scan looks its key up in a table of 100,000, keys in no order: by a sampling (`jdk.ExecutionSample`) 27 %
    of its time is the one load that first touches the key's slot, 14 % the look at null bits next to it, of what may be the
    state found there; no other line takes more than 6 %. So its limit is a cache miss or two per packet; with 100 keys it has
    none.""",
)
