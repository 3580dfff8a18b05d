"""What fails inside Spark is told of the operator that failed, at its place, where that is certain; else of the sink."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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


def test_a_built_graph_is_told_of_the_line_that_made_the_operator(spark: SparkSession) -> None:
    source = op.GeneratorSource("source", count=5, rows=op.SelectRows(select=["id AS n"]))
    bad = op.Filter("bad", where="10 % (n - 2) >= 0")
    graph = Graph.build("built", source >> bad >> op.ConsoleSink("shown"))
    with pytest.raises(JobError) as raised:
        run(graph, spark)
    assert raised.value.place is not None
    assert raised.value.place.file.endswith("test_spark_errors.py")
    assert 'op.Filter("bad"' in Path(__file__).read_text().splitlines()[raised.value.place.line - 1]
