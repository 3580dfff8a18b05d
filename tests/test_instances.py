"""Rows and late packets of keyed operators are those of one instance each, however many there are and in how many processes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

import pytest

import despina
from despina.engine import Engine
from support.graphs import Fields

COUNT = 3000
TIMED = {"group_by": ["device"], "select": ["window_time AS at", "device", "count(*) AS n", "sum(x) AS total"]}
OPERATORS: dict[str, Fields] = {
    "tumbling": {"type": "aggregate", "window": {"type": "tumbling", "size_ms": 1000}, **TIMED},
    "sliding": {"type": "aggregate", "window": {"type": "sliding", "size_ms": 4000, "slide_ms": 1000}, **TIMED},
    "session": {"type": "aggregate", "window": {"type": "session", "gap_ms": 900}, **TIMED},
    "count": {"type": "aggregate", "window": {"type": "count", "size": 7, "slide": 3}, **TIMED},
    "control": {"type": "aggregate", "group_by": ["device"], "select": ["window.start AS at", "device", "count(*) AS n"],
                "window": {"type": "control", "open": "x > 80", "close": "x < 10", "max_ms": 9000}},
    "trailing": {"type": "aggregate", "window": {"type": "trailing", "size_ms": 3000}, "group_by": ["device"],
                 "select": ["id", "sum(x) AS total"]},
    "fired": {"type": "aggregate", "group_by": ["device"],
              "window": {"type": "tumbling", "size_ms": 1000, "fire": {"type": "change"}, "late_within_ms": 1600},
              "select": ["window.start AS at", "window.revision AS revision", "device", "count(*) AS n", "sum(x) AS total"]},
    "scan": {"type": "scan", "group_by": ["device"], "state": {"s": {"initial": "0L", "next": "s + x"}}, "select": ["id", "s"]},
    "changes": {"type": "changes", "group_by": ["device"], "of": "x", "tolerance": 30, "select": ["id", "previous"]},
    "deduplicate": {"type": "deduplicate", "by": ["device", "x"], "within_ms": 20_000},
    "absence": {"type": "absence", "group_by": ["device"], "within_ms": 700, "select": ["absence.at AS at", "device"]},
    "resample": {"type": "resample", "group_by": ["device"], "every_ms": 500, "fill": {"x": {"type": "linear"}}},
    "resample_that_ends": {"type": "resample", "group_by": ["device"], "every_ms": 500, "fill": {"x": {"type": "linear"}},
                           "ends_after_ms": 750},
    "resample_in_time": {"type": "resample", "group_by": ["device"], "every_ms": 500, "fill": {"x": {"type": "previous"}},
                         "ends_after_ms": 750},
    "pattern": {"type": "pattern", "group_by": ["device"], "within_ms": 5000, "select": ["a.id AS first", "b.id AS last"],
                "steps": [{"name": "a", "where": "x > 80"}, {"name": "b", "where": "x < 20"}]},
    "top": {"type": "top", "n": 2, "by": ["x DESC"], "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 2000}},
    "sort": {"type": "sort", "by": ["x DESC"], "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 2000}},
    "latest": {"type": "latest", "group_by": ["device"], "every_ms": 2000},
}
THREE: Fields = {"format": 1, "resources": {name: {"memory_bytes": 64 << 20, "start": "child"} for name in ("a", "b", "c")}}


def graph(names: Iterable[str], parallelism: int, per: list[str]) -> despina.Graph:
    """Some of them behind one source of seven devices, whose packets come in some disorder, one of fifty too late."""
    operators: dict[str, Fields] = {
        "source": {"type": "generator_source", "count": COUNT,
                   "event_time": {"column": "ts", "order_by": ["id"], "max_delay_ms": 500, **({"per": per} if per else {})},
                   "rows": {"type": "select", "select": [
                       "id", "concat('d', pmod(id * 31, 7)) AS device", "CAST(pmod(id * 7919, 101) AS INT) AS x",
                       "timestamp_millis(1700000000000 + id * 100 + if(id % 50 = 7, -3000, 0) + id * 7919 % 400) AS ts"]}}}
    links = []
    for name in names:
        operators[name] = {**OPERATORS[name], "accept": ["late"], "parallelism": parallelism}
        operators[f"{name}_rows"] = {"type": "collect_sink"}
        links += [{"from": "source", "to": name}, {"from": name, "to": f"{name}_rows"}]
    return despina.Graph.from_dict({"format": 1, "name": "instances", "operators": operators, "links": links})


def run(engine: Engine, names: Collection[str], parallelism: int, per: list[str],
        deployment: Fields | None = None) -> dict[str, Any]:
    """By operator, its rows with how many there are of each, and how many packets were late."""
    with graph(names, parallelism, per).run(engine=engine, deployment=deployment) as job:
        rows = {name: job.rows(f"{name}_rows").to_pylist() for name in names}
        job.wait()
    return {name: (Counter(map(str, rows[name])), job.counters.operators[name]["late"]) for name in names}


EVERY: list[tuple[int, Fields | None]] = [(2, None), (8, None), (4, THREE)]
"""Instances, and where they run. Each compiles all operators anew, in each process, so ``make test`` takes fewer."""
FEWER = {"common time": EVERY[::2], "time per key": EVERY[1:2]}


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("clock", FEWER)
def test_rows_are_those_of_one_instance(engine: Engine, clock: str) -> None:
    per = ["device"] if clock == "time per key" else []
    names = list(OPERATORS)
    alone = run(engine, names, 1, per)
    assert {name for name, (_, late) in alone.items() if late} >= set(names) - {"sliding"}
    assert all(rows for rows, _ in alone.values())
    for parallelism, deployment in EVERY if os.environ.get("DESPINA_EVERY_CASE") else FEWER[clock]:
        assert run(engine, names, parallelism, per, deployment) == alone, (parallelism, deployment)
