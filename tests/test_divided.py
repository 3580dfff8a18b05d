"""An aggregate that is divided, so that packets are added up before they are dealt out, beside the same one that is not."""

from __future__ import annotations

import os
from typing import Any

import pytest

import despina
from despina.engine import Engine
from support.graphs import TWO

COUNT = 4000
LATE = {"from": "sums.late", "to": "late"}


def graph(window: dict[str, Any], groups: int, *, divided: bool) -> despina.Graph:
    """A sum by group in three instances; it is left whole because late packets must leave whole.

    Every seventh packet is a second older than the watermark allows.
    """
    operators: dict[str, dict[str, Any]] = {
        "source": {
            "type": "generator_source", "count": COUNT, "event_time": {"column": "ts", "max_delay_ms": 500},
            "rows": {"type": "select", "select": [
                "id", f"pmod(id * 31, {groups}) AS g",
                "timestamp_millis(1700000000000 + id * 10 - if(id % 7 = 0, 1500, 0)) AS ts"]}},
        "sums": {"type": "aggregate", "parallelism": 3, "group_by": ["g"], "window": window,
                 "select": ["window.start AS start", "g", "count(*) AS n", "sum(id) AS total", "max(id) AS most"]},
        "rows": {"type": "collect_sink"}}
    links = [{"from": "source", "to": "sums"}, {"from": "sums", "to": "rows"}]
    if divided:
        operators["sums"]["accept"] = ["late"]
    else:
        operators["late"] = {"type": "discard_sink"}
        links.append(LATE)
    return despina.Graph.from_dict({"format": 1, "name": "sums", "operators": operators, "links": links})


TUMBLING = {"type": "tumbling", "size_ms": 1000}
SLIDING = {"type": "sliding", "size_ms": 3000, "slide_ms": 1000}
CHOSEN = [("py4j", TUMBLING, COUNT), ("jpype", SLIDING, 5)]
"""Groups, few or one for each packet. Each starts two processes that compile all anew: the others run by ``make every`` alone."""
EVERY = [(driver, window, groups) for driver in ("py4j", "jpype") for window in (TUMBLING, SLIDING) for groups in (5, COUNT)]


@pytest.mark.parametrize(("engine", "window", "groups"), EVERY if os.environ.get("DESPINA_EVERY_CASE") else CHOSEN,
                         indirect=["engine"])
def test_rows_and_counters_are_those_of_the_whole(engine: Engine, window: dict[str, Any], groups: int) -> None:
    """The divided one runs in two processes, the whole one in one."""
    found = []
    for divided in (True, False):
        with graph(window, groups, divided=divided).run(engine=engine, deployment=TWO if divided else None) as job:
            rows = job.rows("rows")
            job.wait()
        counters = job.counters
        sums = counters.operators["sums"]
        found.append((sorted(str(row) for row in rows.to_pylist()),
                      {name: sums[name] for name in ("packets_in", "packets_out", "errors", "late")}))
        packets = counters.links["source->sums"]["packets"]
        assert packets == COUNT if not divided or groups == COUNT else packets < COUNT / 2
    assert found[0] == found[1]
    assert found[0][1]["packets_in"] == COUNT
    assert found[0][1]["late"] > 0 or window["type"] == "sliding"
