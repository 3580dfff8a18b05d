"""Strings as keys, keys that are all new, and windows by the clock of each key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject

FEW, MANY = 1_000, 1_000_000
SOME = "pmod(id * 2654435761, {keys})"
NUMBERS = f"{SOME} AS key"
STRINGS = f"concat('device-', CAST(100000000 + {SOME} AS STRING)) AS key"
COUNT: graphs.Json = {"type": "aggregate", "group_by": ["key"], "select": ["key", "count(*) AS n"]}
SCAN: graphs.Json = {"type": "scan", "accept": ["order"], "group_by": ["key"],
                     "state": {"n": {"initial": "0L", "next": "n + 1"}}, "select": ["key", "next.n AS n"]}
WINDOW: graphs.Json = {"type": "aggregate", "group_by": ["key"], "window": {"type": "tumbling", "size_ms": 1000},
                       "select": ["window.start AS start", "key", "sum(id) AS s", "max(id) AS m"]}
FIRST: graphs.Json = {"type": "deduplicate", "by": ["id"], "within_ms": 1000}
COMMON, PER_KEY, NEW = "windows, one time", "windows, time per key", "deduplicate, all new"
COUNTED, SCANNED = "strings, rows at the end", "strings, scan"
WITHOUT_END = 1_000_000_000_000
"""Rows of a source that the run's seconds end: an aggregate gives its rows at the end of the input."""


def _subject(operator: graphs.Json, select: Sequence[str], event_time: graphs.Json | None = None) -> Callable[[Run], Measured]:
    def count(run: Run) -> Measured:
        rows = {"type": "select", "select": [text.format(keys=run.point["keys"]) for text in select]}
        source = {"type": "generator_source", "rows": rows, "count": WITHOUT_END}
        if event_time is not None:
            source["event_time"] = event_time
        graph = {"format": 1, "name": "keyed_words", "links": [{"from": "source", "to": "counts", "fuse": False},
                                                               {"from": "counts", "to": "sink"}],
                 "operators": {"source": source, "counts": operator, "sink": {"type": "discard_sink"}}}
        return engine.measured(engine.timed(run, graph), "counts")
    return count


def _point(keys: int) -> Point:
    return {"keys": keys}


def _has(keys: int) -> Callable[[Point], bool]:
    return lambda point: bool(point["keys"] == keys)


def _claim(name: str, at_least: float) -> Claim:
    return Claim(f"{MANY:,} keys, {name}: packets/s", lambda result: result.estimate("per_s", name, _point(MANY)),
                 at_least=at_least)


TIMED = ("id", "timestamp_micros(id * 100) AS ts", NUMBERS)
SPREAD = ("id", "timestamp_micros(id * 1000000 div {keys}) AS ts")

EXPERIMENT = Experiment(
    name="keyed_words",
    doc="""Of packets that a source in a task of its own makes: a count for each of a million strings of 16 characters, at the end
    (here: never) and as a scan; `deduplicate` of keys that are all new, of which a million are remembered at once; a sum and a
    maximum of a thousand keys in tumbling windows of a second, by one time and by the clock of each key.""",
    subjects=(
        Subject(COMMON, _subject(WINDOW, TIMED, {"column": "ts"}), at=_has(FEW)),
        Subject(PER_KEY, _subject(WINDOW, TIMED, {"column": "ts", "per": ["key"]}), at=_has(FEW)),
        Subject(COUNTED, _subject(COUNT, (STRINGS,)), at=_has(MANY)),
        Subject(SCANNED, _subject(SCAN, (STRINGS,)), at=_has(MANY)),
        Subject(NEW, _subject(FIRST, SPREAD, {"column": "ts"}), at=_has(MANY)),
    ),
    metrics=(engine.PER_S, engine.CPU),
    baseline=COMMON,
    full=Plan([_point(keys) for keys in (FEW, MANY)], seconds=5),
    quick=Plan([_point(keys) for keys in (FEW, MANY)], repeats=1, warm_up_s=2, seconds=1),
    claims=(
        _claim(COUNTED, 8e6), _claim(SCANNED, 8e6), _claim(NEW, 4e6),
        Claim("time per key: CPU-s per million, of one time's",
              lambda result: result.ratio("cpu_s_per_million", PER_KEY, COMMON, _point(FEW)), at_most=1.1),
    ),
    needs=(java.java_needed,),
)
