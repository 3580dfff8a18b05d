"""What fails inside Spark is told of the operator that failed, at its place, where that is certain; else of the sink."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError

from despina import operators as op
from despina.backends.spark import run
from despina.errors import JobError
from despina.graph import Graph
from support.graphs import Fields, chain, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHOWN: tuple[str, Fields] = ("shown", {"type": "console_sink"})
SOURCE = ("source", rows(5, "id AS n", "5 - id AS m"))


def failure(spark: SparkSession, *operators: tuple[str, Fields]) -> tuple[JobError, list[str]]:
    """The error of a chain, and the lines of its file."""
    graph = Graph(json.dumps(chain(*operators), indent=1), "g.json")
    with pytest.raises(JobError) as raised:
        run(graph, spark)
    return raised.value, graph.text.splitlines()


@pytest.mark.parametrize("fields", [
    {"type": "project", "select": ["n", "n / (m - 3) AS q"]},
    {"type": "filter", "where": "10 % (n - 2) >= 0"},
    {"type": "project", "select": ["CAST(concat('x', n) AS INT) AS q"]},
    {"type": "aggregate", "group_by": ["n % 2 AS odd"], "select": ["odd", "sum(1 / (m - 3)) AS s"]},
])
def test_an_expression_that_fails_is_told_of_its_operator(spark: SparkSession, fields: Fields) -> None:
    error, lines = failure(spark, SOURCE, ("bad", fields), ("same", {"type": "filter", "where": "1 = 1"}), SHOWN)
    assert error.message.startswith("operator bad: [")
    assert error.operator == "bad"
    assert error.place is not None
    assert (error.place.file, error.place.line) == ("g.json", 1 + next(k for k, line in enumerate(lines) if '"bad": {' in line))


def test_an_expression_of_two_operators_is_told_of_their_sink(spark: SparkSession) -> None:
    twice: Fields = {"type": "filter", "where": "10 % (n - 2) >= 0"}
    error, lines = failure(spark, SOURCE, ("one", twice), ("two", twice), SHOWN)
    assert error.message.startswith("operator shown, or one before it: [REMAINDER_BY_ZERO]")
    assert error.operator == ""
    assert error.place is not None
    assert error.place.line == 1 + next(k for k, line in enumerate(lines) if '"shown": {' in line)


def test_a_record_that_is_bad_is_told_of_its_source(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "in.json"
    file.write_text('{"n": 1}\n{"n": operator shown: x}\n')
    error, _ = failure(spark, ("read", {"type": "file_source", "path": str(file), "format": "json", "schema": "n INT"}), SHOWN)
    assert error.message.startswith('operator read: bad record: {"n": operator shown: x}')
    assert error.operator == "read"


def test_a_value_that_nobody_looks_at_fails_too(spark: SparkSession) -> None:
    """A sink that only counts its rows has them worked out."""
    for sink in "collect_sink", "discard_sink":
        error, _ = failure(spark, SOURCE, ("bad", {"type": "project", "select": ["n / (m - 3) AS q"]}), ("kept", {"type": sink}))
        assert error.message.startswith("operator bad: [DIVIDE_BY_ZERO]")


def test_no_exception_of_ours_leaves_an_executor(spark: SparkSession, tmp_path: Path) -> None:
    """A driver that was started without our jar could not read it, and would say ``UnknownReason``."""
    file = tmp_path / "in.parquet"
    pq.write_table(pa.table({"d": pa.array([0, 2**64 - 1], pa.uint64())}), file)
    source: Fields = {"type": "file_source", "path": str(file), "format": "parquet", "schema": "d BIGINT"}
    error, _ = failure(spark, ("read", source), ("kept", {"type": "collect_sink"}))
    assert "column `d` holds unsigned numbers of 64 bits" in error.message
    graph = Graph(json.dumps(chain(("read", source), ("kept", {"type": "collect_sink"}))), "g.json")
    with pytest.raises(Py4JJavaError, match="unsigned") as raised:
        graph.to_spark(spark)["kept"].collect()
    cause, classes = raised.value.java_exception, []
    while cause is not None:
        classes.append(str(cause.getClass().getName()))
        cause = cause.getCause()
    assert len(classes) > 1
    assert not [name for name in classes if name.startswith("io.despina")]


def test_a_built_graph_is_told_of_the_line_that_made_the_operator(spark: SparkSession) -> None:
    source = op.GeneratorSource("source", count=5, rows=op.SelectRows(select=["id AS n"]))
    bad = op.Filter("bad", where="10 % (n - 2) >= 0")
    graph = Graph.build("built", source >> bad >> op.ConsoleSink("shown"))
    with pytest.raises(JobError) as raised:
        run(graph, spark)
    assert raised.value.place is not None
    assert raised.value.place.file.endswith("test_spark_errors.py")
    assert 'op.Filter("bad"' in Path(__file__).read_text().splitlines()[raised.value.place.line - 1]
