"""Folds of a graph on Spark: which of them share a sort and a pass, and that each gives its own rows all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina.backends.spark import run
from despina.engine import Engine

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

ROWS = 500
SELECT = ["id", "timestamp_millis(id * 7 % 500) AS ts", "id % 5 AS k", "CAST(concat('v', id % 3) AS BINARY) AS v"]
SUMS = {"type": "scan", "state": {"s": {"initial": "0L", "next": "s + id"}}, "select": ["id", "next.s AS s"]}
KEPT = {"type": "scan", "group_by": ["k"], "state": {"last": {"initial": "v", "next": "v"}},
        "select": ["id", "k", "last AS before"], "emit_when": "id % 2 = 0"}
COUNTS = {"type": "aggregate", "group_by": ["k"], "window": {"type": "trailing", "size_ms": 20},
          "select": ["id", "k", "count(*) AS n", "array(min(id), NULL) AS least", "make_dt_interval(0, 0, 0, max(id)) AS most"]}


def graph(folds: dict[str, dict[str, Any]], sinks: dict[str, list[str]]) -> despina.Graph:
    """Folds of one stream, and by sink those that reach it, as one column of text."""
    operators: dict[str, Any] = {"source": {
        "type": "generator_source", "count": ROWS, "rows": {"type": "select", "select": SELECT},
        "event_time": {"column": "ts", "order_by": ["id"], "max_delay_ms": 1000}}}
    links = [{"from": "source", "to": name} for name in folds]
    operators |= folds
    for sink, names in sinks.items():
        operators[sink] = {"type": "collect_sink"}
        for name in names:
            told = f"{sink}_{name}"
            operators[told] = {"type": "project", "select": [f"'{name}' AS name", "to_json(struct(*)) AS row"]}
            links += [{"from": name, "to": told}, {"from": told, "to": sink}]
    return despina.Graph.from_dict({"format": 1, "name": "folds", "operators": operators, "links": links})


def passes(frame: DataFrame) -> int:
    """How often Spark folds sorted groups for that frame."""
    plan = str(frame._jdf.queryExecution().executedPlan().toString())
    return plan.count("Generate fold of ")


def rows(frame: Any) -> list[tuple[str, str]]:
    """In one order."""
    return sorted((row["name"], row["row"]) for row in frame.to_pylist())


@pytest.mark.parametrize(("folds", "sinks", "expected"), [
    pytest.param({"a": KEPT, "b": COUNTS, "c": KEPT}, {"rows": ["a", "b", "c"]}, [1], id="same_keys"),
    pytest.param({"a": SUMS, "b": SUMS}, {"rows": ["a", "b"]}, [1], id="without_keys"),
    pytest.param({"a": SUMS, "b": KEPT}, {"rows": ["a", "b"]}, [2], id="other_keys"),
    pytest.param({"a": KEPT, "b": COUNTS}, {"one": ["a"], "two": ["b"]}, [1, 1], id="other_sinks"),
])
def test_folds_of_a_stream_share_a_pass_and_keep_their_rows(
    spark: SparkSession, engine: Engine, folds: dict[str, Any], sinks: dict[str, list[str]], expected: list[int]
) -> None:
    made = graph(folds, sinks)
    frames = made.to_spark(spark)
    assert [passes(frames[sink]) for sink in sinks] == expected
    with made.run(engine=engine) as job:
        found = {sink: job.rows(sink) for sink in sinks}
    for sink in sinks:
        told = rows(found[sink])
        assert len(told) >= ROWS // 2
        assert rows(frames[sink].toArrow()) == told


def test_rows_are_counted_while_they_are_written(spark: SparkSession, tmp_path: Path) -> None:
    operators = {"source": {"type": "generator_source", "count": ROWS, "rows": {"type": "select", "select": ["id"]}},
                 "few": {"type": "filter", "where": "id < 20"}, "none": {"type": "filter", "where": "id < 0"},
                 **{f"{name}_out": {"type": "file_sink", "path": str(tmp_path / name), "format": "json"}
                    for name in ("few", "none")}}
    links = [{"from": "source", "to": name} for name in ("few", "none")]
    links += [{"from": name, "to": f"{name}_out"} for name in ("few", "none")]
    report = run(despina.Graph.from_dict({"format": 1, "name": "written", "operators": operators, "links": links}), spark)
    assert {name: counts["packets_in"] for name, counts in report["operators"].items()} == {"few_out": 20, "none_out": 0}
    assert sum(len(part.read_text().splitlines()) for part in (tmp_path / "few").glob("part-*")) == 20
