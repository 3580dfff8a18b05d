"""``to_spark(inputs=…)``: DataFrames of the caller's in place of what sources read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pandas
import pytest
from pyspark.errors import ArithmeticException, PySparkException

import despina
from despina import operators as op
from despina.errors import GraphError, RefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOURCE = {"type": "file_source", "path": "nothing/here.csv", "format": "csv",
          "schema": "id BIGINT, ts TIMESTAMP, value DOUBLE, name STRING",
          "event_time": {"column": "ts", "order_by": ["id"]}}
GRAPH: dict[str, Any] = {
    "format": 1, "name": "given",
    "operators": {
        "readings": SOURCE,
        "sums": {"type": "scan", "group_by": ["name"], "state": {"total": {"initial": "0D", "next": "total + value"}},
                 "select": ["id", "name", "next.total AS total"]},
        "all": {"type": "collect_sink"},
        "rows": {"type": "collect_sink"},
    },
    "links": [{"from": "readings", "to": "sums"}, {"from": "sums", "to": "rows"}, {"from": "readings", "to": "all"}],
}
ROWS = """SELECT * FROM VALUES (2, TIMESTAMP '2024-01-01 00:00:02', 2.5D, 'a'), (1, TIMESTAMP '2024-01-01 00:00:01', 1D, 'a')
    AS t(id, ts, value, name)"""


def frames(spark: SparkSession, sql: str = ROWS) -> dict[str, Any]:
    """What reaches the sinks where `readings` is that query."""
    return despina.Graph.from_dict(GRAPH).to_spark(spark, inputs={"readings": spark.sql(sql)})


def test_a_frame_takes_the_place_of_what_a_source_reads(spark: SparkSession) -> None:
    found = frames(spark)
    assert found["rows"].toArrow().to_pylist() == [
        {"id": 1, "name": "a", "total": 1.0}, {"id": 2, "name": "a", "total": 3.5}]
    assert found["all"].columns == ["id", "ts", "value", "name"]


def test_an_aggregate_of_a_frame_finds_it_in_the_graphs_session(spark: SparkSession) -> None:
    counts = {"type": "aggregate", "group_by": ["name"], "select": ["name", "count(*) AS n"]}
    graph = GRAPH | {"operators": GRAPH["operators"] | {"sums": counts}}
    mine = spark.newSession()
    found = despina.Graph.from_dict(graph).to_spark(mine, inputs={"readings": mine.sql(ROWS)})
    assert found["rows"].toArrow().to_pylist() == [{"name": "a", "n": 2}]


def test_the_same_rows_on_the_engine(spark: SparkSession) -> None:
    given = spark.sql(ROWS).orderBy("id")
    with despina.Graph.from_dict(GRAPH).run(inputs={"readings": given}) as job:
        rows = job.rows("rows")
        job.wait()
    assert rows.to_pylist() == frames(spark)["rows"].toArrow().to_pylist()


def test_frames_are_of_the_callers_session(spark: SparkSession) -> None:
    mine = spark.newSession()
    mine.sql("SELECT 'a' AS name, 'first' AS label").createOrReplaceTempView("labels")
    found = despina.Graph.from_dict(GRAPH).to_spark(mine, inputs={"readings": mine.sql(ROWS)})
    found["rows"].createOrReplaceTempView("totals")
    rows = mine.sql("SELECT label, max(total) AS total FROM totals JOIN labels USING (name) GROUP BY label")
    assert rows.toArrow().to_pylist() == [{"label": "first", "total": 3.5}]


def test_windows_and_joins_over_a_frame(spark: SparkSession) -> None:
    graph = despina.Graph.from_dict({
        "format": 1, "name": "windows",
        "operators": {
            "readings": SOURCE,
            "sums": {"type": "aggregate", "window": {"type": "tumbling", "size_ms": 5000}, "select": ["sum(value) AS total"]},
            "pairs": {"type": "join", "as_of": {"strict": True}, "select": ["left.id AS id", "right.id AS before"]},
            "totals": {"type": "collect_sink"}, "rows": {"type": "collect_sink"}},
        "links": [{"from": "readings", "to": "sums"}, {"from": "sums", "to": "totals"}, {"from": "readings", "to": "pairs.left"},
                  {"from": "readings", "to": "pairs.right"}, {"from": "pairs", "to": "rows"}]})
    mine = spark.newSession()
    found = graph.to_spark(mine, inputs={"readings": mine.sql(ROWS)})
    assert [row["total"] for row in found["totals"].collect()] == [3.5]
    assert [tuple(row) for row in found["rows"].collect()] == [(2, 1)]


def test_a_graph_that_is_built_from_a_frame(spark: SparkSession) -> None:
    readings = despina.from_dataframe("readings", spark.sql(ROWS), time="ts", order_by=["id"])
    sums = op.Scan("sums", group_by=["name"], state={"total": op.State(initial="0D", next="total + value")},
                   select=["id", "next.total AS total"])
    readings >> sums >> op.CollectSink("rows")
    graph = despina.Graph.build("built", readings)
    assert graph.to_dict()["operators"]["readings"]["type"] == "spark_source"
    assert [tuple(row) for row in graph.to_spark(spark)["rows"].collect()] == [(1, 1.0), (2, 3.5)]
    more = spark.sql("SELECT 3L AS id, TIMESTAMP '2024-01-01 00:00:03' AS ts, 4D AS value, 'a' AS name")
    assert [tuple(row) for row in graph.to_spark(spark, inputs={"readings": more})["rows"].collect()] == [(3, 4.0)]
    with pytest.raises(RefusedError, match="readings is a DataFrame of Spark, which the engine does not read") as refused:
        graph.run()
    assert "test_spark_inputs.py:" in str(refused.value.place)
    with graph.run(inputs={"readings": more.toArrow()}) as job:
        assert job.rows("rows").to_pylist() == [{"id": 3, "total": 4.0}]


def test_settings_of_the_callers_session_change_no_row(spark: SparkSession) -> None:
    mine = spark.newSession()
    mine.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    mine.conf.set("spark.sql.ansi.enabled", "false")
    graph = despina.Graph.from_dict({
        "format": 1, "name": "zones", "settings": {"time_zone": "Europe/Berlin"},
        "operators": {"numbers": {"type": "generator_source", "count": 1, "rows": {"type": "select", "select": [
            "date_format(timestamp_seconds(id), 'HH:mm') AS shown", "timestamp_seconds(id) AS at", "id"]}},
            "texts": {"type": "project", "select": ["shown", "CAST(at AS STRING) AS text", "1 / id AS failing"]},
            "shown": {"type": "project", "select": ["shown"]},
            "rows": {"type": "collect_sink"}, "bad": {"type": "collect_sink"}},
        "links": [{"from": "numbers", "to": "texts"}, {"from": "texts", "to": "bad"},
                  {"from": "numbers", "to": "shown"}, {"from": "shown", "to": "rows"}]})
    found = graph.to_spark(mine)
    assert found["rows"].collect()[0]["shown"] == "01:00"
    assert found["bad"].selectExpr("text").collect()[0]["text"] == "1970-01-01 01:00:00"
    with pytest.raises(ArithmeticException):
        found["bad"].collect()


def test_columns_are_converted_where_nothing_is_lost(spark: SparkSession) -> None:
    given = "SELECT 3.0D AS ID, TIMESTAMP '2024-01-01 00:00:00' AS ts, 7 AS value, 'a' AS name"
    found = frames(spark, given)["all"]
    assert found.columns == ["id", "ts", "value", "name"]
    assert [tuple(row)[0::2] for row in found.collect()] == [(3, 7.0)]


def test_a_column_that_is_left_out_is_its_default_as_on_the_engine(spark: SparkSession) -> None:
    source = SOURCE | {"schema": "id BIGINT, ts TIMESTAMP DEFAULT TIMESTAMP '2024-07-01 12:00:00', value DOUBLE DEFAULT 20.5, "
                                 "name STRING DEFAULT NULL"}
    graph = despina.Graph.from_dict(GRAPH | {"settings": {"time_zone": "Europe/Rome"},
                                             "operators": GRAPH["operators"] | {"readings": source}})
    expected = [(7, datetime(2024, 7, 1, 10, tzinfo=UTC), 20.5, None)]
    frames = graph.to_spark(spark, inputs={"readings": spark.sql("SELECT 7L AS id")})
    assert [tuple(row.values()) for row in frames["all"].toArrow().to_pylist()] == expected
    with graph.run(inputs={"readings": [{"id": 7}]}) as job:
        assert [tuple(row.values()) for row in job.rows("all").to_pylist()] == expected


@pytest.mark.parametrize(("given", "told"), [
    ("SELECT 3.5D AS id", "operator readings: column id is BIGINT, and a row has a value that it cannot hold"),
    ("SELECT 1e30D AS id", "operator readings: column id is BIGINT, and a row has a value that it cannot hold"),
])
def test_a_value_that_does_not_fit_fails_the_job(spark: SparkSession, given: str, told: str) -> None:
    with pytest.raises(PySparkException, match=told):
        frames(spark, given + ", TIMESTAMP '2024-01-01 00:00:00' AS ts, 1D AS value, 'a' AS name")["rows"].collect()


@pytest.mark.parametrize(("given", "told"), [
    ("SELECT 1L AS ident", "readings: the source has no column ident"),
    ("SELECT id, ts, name FROM given", "readings: the rows have no column value"),
    ("SELECT 'x' AS id, ts, value, name FROM given", "readings: column id is BIGINT, and the rows have STRING"),
    ("SELECT 1L AS id, 2L AS ID", "readings: two columns are called ID"),
])
def test_columns_that_do_not_fit_are_refused(spark: SparkSession, given: str, told: str) -> None:
    with pytest.raises(RefusedError) as raised:
        frames(spark, f"WITH given AS ({ROWS}) {given}")
    assert raised.value.message == told


def test_a_column_without_null(spark: SparkSession) -> None:
    graph = despina.Graph.from_dict({
        "format": 1, "name": "numbers",
        "operators": {"numbers": {"type": "generator_source", "count": 1, "rows": {"type": "select", "select": ["id", "1 AS b"]}},
                      "rows": {"type": "collect_sink"}},
        "links": [{"from": "numbers", "to": "rows"}]})
    with pytest.raises(RefusedError, match="numbers: the rows have no column id"):
        graph.to_spark(spark, inputs={"numbers": spark.sql("SELECT 1 AS b")})
    found = graph.to_spark(spark, inputs={"numbers": spark.sql("SELECT if(rand() < 2, NULL, 1L) AS id, 2 AS b")})
    with pytest.raises(PySparkException, match="operator numbers: column id is NOT NULL, and a row has no value for it"):
        found["rows"].select("b").collect()


def test_no_source_of_that_name_or_no_frame(spark: SparkSession) -> None:
    graph = despina.Graph.from_dict(GRAPH)
    with pytest.raises(GraphError, match="the graph has no operator `reading` to give rows to"):
        graph.to_spark(spark, inputs={"reading": spark.sql(ROWS)})
    with pytest.raises(RefusedError, match="the rows for readings are a list, and to_spark needs a DataFrame of Spark"):
        graph.to_spark(spark, inputs={"readings": [1]})
    with pytest.raises(RefusedError, match="the rows for readings are a pandas DataFrame, and to_spark needs a DataFrame of"):
        graph.to_spark(spark, inputs={"readings": pandas.DataFrame({"a": [1]})})


def test_a_sink_that_is_not_there_is_told_with_those_that_are(spark: SparkSession) -> None:
    frames = despina.Graph.from_dict(GRAPH).to_spark(spark, inputs={"readings": spark.sql(ROWS)})
    with pytest.raises(KeyError, match=r"the graph has no sink 'row'\n  hint: did you mean 'rows'\?"):
        frames["row"]
    assert frames.get("row") is None
