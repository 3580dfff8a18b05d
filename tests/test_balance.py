"""Rows in are rows out, late ones, bad ones, those that an operator leaves out, and those that it holds when a job is stopped."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

import pytest

import despina
from despina import Job
from despina.engine import Engine
from support.every import in_every
from support.graphs import TWO, Fields
from support.processes import until

DEVICES = 7
SIZE = 7
TIMED: Fields = {"group_by": ["device"], "select": ["device", "count(*) AS n"]}
COUNTED: dict[str, Fields] = {
    "tumbling": {"type": "aggregate", "window": {"type": "tumbling", "size_ms": 1000}, **TIMED},
    "session": {"type": "aggregate", "window": {"type": "session", "gap_ms": 300}, **TIMED},
    "count": {"type": "aggregate", "window": {"type": "count", "size": SIZE}, **TIMED},
}
"""Each packet is in one window, whose row says how many it had."""
EACH: dict[str, Fields] = {
    "trailing": {"type": "aggregate", "window": {"type": "trailing", "size_ms": 3000}, **TIMED},
    "scan": {"type": "scan", "group_by": ["device"], "state": {"s": {"initial": "0L", "next": "s + x"}}, "select": ["id", "s"]},
    "sort": {"type": "sort", "group_by": ["device"], "by": ["x DESC"], "window": {"type": "tumbling", "size_ms": 2000}},
    "delay": {"type": "delay", "hold_ms": 500},
    "filter": {"type": "filter", "where": "x > 50"},
    "route": {"type": "route", "cases": {"low": "x < 30", "high": "x > 70"}},
    "project": {"type": "project", "select": ["id", "CAST(id * 30 AS SMALLINT) AS narrow"], "on_error": {"type": "skip"}},
    "deduplicate": {"type": "deduplicate", "by": ["id"], "within_ms": 20_000},
    "python": {"type": "python", "function": "operator:neg", "columns": ["x"], "adds": "minus INT"},
}
"""Each packet has a row, by one port or another: no id comes twice."""
PORTS: dict[str, tuple[str, ...]] = {"filter": ("out", "rejected"), "route": ("low", "high", "otherwise")}
LATE = {**COUNTED, **{name: EACH[name] for name in ("trailing", "scan", "sort", "deduplicate")}}
"""Operators that refuse packets behind the watermark."""
ROWS = 4_000


ALL = (*COUNTED, *EACH)
NEAR_AND_FAR = ALL if os.environ.get("DESPINA_EVERY_CASE") else ("tumbling", "scan", "delay", "route", "python")
"""Of each kind one: another process compiles them anew."""


def graph(names: Collection[str], parallelism: int) -> despina.Graph:
    """Some of them behind one source of rows without end, some late; the rows of each port are counted by a sink of its own."""
    operators: dict[str, Fields] = {
        "source": {"type": "generator_source", "rate_per_s": 5_000,
                   "event_time": {"column": "ts", "order_by": ["id"], "max_delay_ms": 500},
                   "rows": {"type": "select", "select": [
                       "id", f"concat('d', pmod(id * 31, {DEVICES})) AS device", "CAST(pmod(id * 7919, 101) AS INT) AS x",
                       "timestamp_millis(1700000000000 + id + if(id % 50 = 7, -3000, 0)) AS ts"]}}}
    links = []
    for name in names:
        fields = {**COUNTED, **EACH}[name]
        operators[name] = {**fields, "parallelism": parallelism, **({"accept": ["late"]} if name in LATE else {})}
        links.append({"from": "source", "to": name})
        for port in PORTS.get(name, ("out",)):
            operators[f"{name}_{port}"] = {"type": "collect_sink"} if name in COUNTED else {"type": "discard_sink"}
            links.append({"from": f"{name}.{port}", "to": f"{name}_{port}"})
    return despina.Graph.from_dict({"format": 1, "name": "balance", "operators": operators, "links": links})


def came(job: Job, names: Collection[str]) -> bool:
    """Whether each of them has had that many packets."""
    counters = job.poll().operators
    return all(counters[name]["packets_in"] > ROWS for name in names)


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize(("mode", "deployment"), [
    pytest.param("drain", None, id="drain", marks=in_every), pytest.param("now", None, id="now"),
    pytest.param("flush", None, id="flush", marks=in_every), pytest.param("drain", TWO, id="drain two resources")])
def test_no_row_is_lost_without_a_word(engine: Engine, mode: Any, deployment: Fields | None) -> None:
    names, parallelism = (ALL, 3) if deployment is None else (NEAR_AND_FAR, 2)
    with graph(names, parallelism).run(engine=engine, deployment=deployment, drain_ms=60_000) as job:
        until(lambda: came(job, names), "rows")
        job.stop(mode)
        ended = job.wait()
        counted = {name: sum(row["n"] for row in job.rows(f"{name}_out").to_pylist()) for name in COUNTED if name in names}
    found = ended.operators
    for name in names:
        one = found[name]
        if mode == "now" and (name in COUNTED or name in PORTS):
            continue        # rows are dropped on their way to the sinks by which they are counted here
        rows = counted.get(name, one["packets_out"])
        if name in PORTS:
            rows = sum(found[f"{name}_{port}"]["packets_in"] for port in PORTS[name])
        left_out = one["packets_in"] - rows - one["late"] - one["errors"] - one["held"]
        # at the end of a stream, windows of so many packets that are not full have no row
        assert 0 <= left_out <= (DEVICES * (SIZE - 1) if (name, mode) == ("count", "flush") else 0), (name, one)
        if mode != "now":
            assert one["packets_in"] == found["source"]["packets_out"], name
        assert one["held"] == 0 or mode != "flush", name
    assert all(found[name]["late"] > 0 for name in LATE if name in names)
    assert "project" not in names or found["project"]["errors"] > 0
    assert (ended.held > 0) == (mode != "flush")
