"""``despina run --on spark`` as its user starts it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from e2e.graphs import chain, rows, write
from e2e.processes import Command, until

Start = Callable[..., Command]


def test_a_graph_runs_on_spark_to_its_sinks(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", rows(5, "id AS n")), ("high", {"type": "filter", "where": "n >= 3"}),
                  ("shown", {"type": "console_sink"}))
    graph["operators"]["low"] = {"type": "discard_sink"}
    graph["links"].append({"from": "high.rejected", "to": "low"})
    command = start("run", write(tmp_path / "g.json", graph), "--on", "spark", "--report", "r.json")
    ended = command.end()
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == ["+---+", "|n  |", "+---+", "|3  |", "|4  |", "+---+", ""]
    assert ended.err.endswith("shown: 2 rows\nlow: 3 rows\n")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report.pop("elapsed_s") > 0
    assert report == {"graph": graph["name"], "on": "spark",
                      "operators": {"shown": {"packets_in": 2}, "low": {"packets_in": 3}}}
    until(lambda: not command.processes(), "end of Spark")
