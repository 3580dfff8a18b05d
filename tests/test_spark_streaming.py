"""``to_spark(streaming=True)``: the rows of the engine, up to where the watermark has come."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections import deque
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

import despina
from despina.backends.spark.session import ROCKS_DB, STATE_STORE, SparkDriver
from despina.engine import Engine
from despina.errors import GraphError, JobError, RefusedError
from despina.testing.rows import differences
from support.cases import Case, Row, cases
from support.marks import DROPPED, not_streamed
from support.streams import streamed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CHOSEN = ("aggregate/tumbling_groups", "file_source/json_dead_letter", "graph/event_time_dash", "join/interval_left",
          "python/letters_by_key", "python/window_behind")
"""What runs without DESPINA_EVERY_CASE=1: each takes seconds."""
FAILS = {
    "file_source/csv_header_differs": "Encountered error while reading file",
    "file_source/folders_mixed": "Spark's streams leave out files",
    "file_source/folders_mixed_unnamed": "Spark's streams leave out files",
    "file_source/hidden_named": "Spark's streams pass over a file",
    "file_source/names_odd": "Spark's streams read files twice",
}
"""Where a query tells less than a batch of why it failed, or would read less."""


def chosen() -> list[Case]:
    """A few cases, or all."""
    return [case for case in cases() if os.environ.get("DESPINA_EVERY_CASE") or case.name in CHOSEN]


def prompt(case: Case) -> despina.Graph:
    """The case's graph, whose watermarks follow at once: its rows all come in one micro-batch, so none is late."""
    content = json.loads(case.graph.read_text())
    for operator in content["operators"].values():
        if "event_time" in operator:
            operator["event_time"].pop("max_delay_ms", None)
    return despina.Graph.from_dict(content)


def times(graph: despina.Graph, folder: Path, spark: SparkSession) -> dict[str, str | None]:
    """The event-time column of what reaches each operator."""
    options = despina.RunOptions({"folder": str(folder)}, modules=[folder])
    plan = graph.check(options, for_spark=True, streaming=True, engine=Engine(SparkDriver(spark), "spark")).plan
    assert plan is not None
    ports = {operator["id"]: operator["inputs"][0] for operator in plan["operators"] if operator["inputs"]}
    return {operator: (port["event_time"] or {}).get("column") for operator, port in ports.items()}


def held_back(found: list[Row], expected: list[Row], aggregates: tuple[str, ...]) -> list[Row]:
    """The expected rows that are not there yet; fails where a row came that is not expected."""
    left = list(expected)
    for row in found:
        same = next((k for k, other in enumerate(left)
                     if not differences([row], [other], ordered=True, aggregates=aggregates)), None)
        assert same is not None, f"not expected: {row}"
        left.pop(same)
    return left


@pytest.mark.parametrize("case", chosen(), ids=lambda case: case.name)
def test_cases(case: Case, spark: SparkSession) -> None:
    words, graph = case.words(), prompt(case)
    to_spark = partial(graph.to_spark, spark, {"folder": str(case.folder)}, streaming=True, modules=[case.folder])
    if (refusal := not_streamed(case)) == DROPPED:
        to_spark()       # it has other rows there
        return
    if refusal is not None:
        with pytest.raises(GraphError, match=re.escape(refusal)):
            to_spark()
        return
    if (fails := FAILS.get(case.name, words.get("fails"))) is not None:
        with pytest.raises((PySparkException, Py4JJavaError, JobError), match=re.escape(fails)):
            deque(map(streamed, to_spark().values()))
        return
    frames = to_spark()
    time_of, at_the_end = times(graph, case.folder, spark), case.at_the_end()
    for sink, expected in case.expected().items():
        found, aggregates = streamed(frames[sink]), words.get("aggregates", {}).get(sink, ())
        waiting = held_back(at_the_end.get(sink, []), held_back(found.rows, expected, aggregates), aggregates)
        if found.watermark is None:
            assert not waiting, sink
        elif (column := time_of[sink]) is not None:
            assert all(moment(row[column]) > found.watermark for row in waiting), sink


def moment(value: Any) -> datetime:
    """An event time as the expectations have it, with a zone."""
    time = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


MODULES = Path(__file__).parent / "support/modules"
START = datetime(2024, 1, 1, tzinfo=UTC)
SCHEMA = "ts TIMESTAMP, device STRING, value DOUBLE"
SOURCE = {"type": "file_source", "path": "nothing/here.csv", "format": "csv", "schema": SCHEMA,
          "event_time": {"column": "ts", "max_delay_ms": 30_000, "order_by": ["value"]}}
GRAPH: dict[str, Any] = {
    "format": 1, "name": "live",
    "operators": {
        "readings": SOURCE,
        "changes": {"type": "scan", "group_by": ["device"], "state": {"total": {"initial": "0D", "next": "total + value"}},
                    "select": ["ts", "device", "value", "next.total AS total"]},
        "compared": {"type": "join", "how": "left", "on": "left.device = right.device", "as_of": {"strict": True},
                     "select": ["left.ts AS ts", "left.device AS device", "left.total AS total", "right.value AS earlier"]},
        "windows": {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 20_000},
                    "select": ["window_time", "device", "count(DISTINCT total % 7) AS kinds", "count(earlier) AS n"]},
        "pairs": {"type": "collect_sink"},
        "rows": {"type": "collect_sink"},
    },
    "links": [{"from": "readings", "to": "changes"}, {"from": "changes", "to": "compared.left"},
              {"from": "readings", "to": "compared.right"}, {"from": "compared", "to": "pairs"},
              {"from": "compared", "to": "windows"}, {"from": "windows", "to": "rows"}],
}


POINTS: dict[str, Any] = {
    "format": 1, "name": "points",
    "operators": {
        "readings": SOURCE,
        "held": {"type": "resample", "group_by": ["device"], "every_ms": 3000, "fill": {"value": {"type": "previous"}},
                 "ends_after_ms": 7000},
        "windows": {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 20_000},
                    "select": ["window_time", "device", "count(DISTINCT value) AS kinds", "sum(value) AS total"]},
        "rows": {"type": "collect_sink"},
    },
    "links": [{"from": "readings", "to": "held"}, {"from": "held", "to": "windows"}, {"from": "windows", "to": "rows"}],
}


SILENCES: dict[str, Any] = {
    "format": 1, "name": "silences",
    "operators": {
        "readings": SOURCE,
        "counted": {"type": "python", "function": "silences:Counted", "group_by": ["device"], "clock": "event",
                    "state": "n BIGINT, last DOUBLE", "schema": "ts TIMESTAMP, device STRING, n BIGINT, last DOUBLE"},
        "windows": {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 20_000},
                    "select": ["window_time", "device", "sum(n) AS n", "count_if(n < 0) AS silences", "min(last) AS last"]},
        "rows": {"type": "collect_sink"},
    },
    "links": [{"from": "readings", "to": "counted"}, {"from": "counted", "to": "windows"}, {"from": "windows", "to": "rows"}],
}


def readings() -> pa.Table:
    """A reading each second, each up to 20 seconds later than others."""
    seconds = [second - second % 7 * 3 for second in range(60, 260)]
    return pa.table({
        "ts": pa.array([START + timedelta(seconds=second, microseconds=second) for second in seconds], pa.timestamp("us", "UTC")),
        "device": [f"d{second % 5}" for second in seconds], "value": [float(k) for k in range(len(seconds))]})


def files(folder: Path, table: pa.Table, first: int, count: int) -> None:
    """Some more of the table's rows, 50 in each file. Spark reads the file that was changed first, first."""
    folder.mkdir(exist_ok=True)
    for file in range(first, first + count):
        path = folder / f"part-{file}.parquet"
        parquet.write_table(table.slice(50 * file, 50), path)
        os.utime(path, (START.timestamp() + file,) * 2)


def live(spark: SparkSession, folder: Path) -> DataFrame:
    """A file in each micro-batch."""
    read = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    return read.parquet(str(folder))


@pytest.mark.parametrize("content", [GRAPH, POINTS, SILENCES], ids=lambda content: str(content["name"]))
def test_many_batches_and_a_restart_give_the_rows_of_the_engine(content: dict[str, Any], spark: SparkSession,
                                                                tmp_path: Path) -> None:
    table, graph, into = readings(), despina.Graph.from_dict(content), tmp_path / "into"
    watermark = START
    mine = spark.newSession()
    mine.conf.set("spark.sql.shuffle.partitions", "1")      # a state store for each operator and partition
    for first in (0, 2):
        files(tmp_path / "given", table, first, 2)
        given = {"readings": live(mine, tmp_path / "given")}
        frame = graph.to_spark(mine, inputs=given, streaming=True, modules=[MODULES])["rows"]
        query = (frame.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
                 .trigger(availableNow=True).start(str(into)))
        query.awaitTermination()
        watermark = datetime.fromisoformat(query.recentProgress[-1]["eventTime"]["watermark"])
    with graph.run(inputs={"readings": table}, modules=[MODULES]) as job:
        expected = job.rows("rows")
        job.wait()
    due = [row for row in expected.to_pylist() if row["window_time"] <= watermark]
    found = spark.read.schema(frame.schema).parquet(str(into)).toArrow().to_pylist()
    assert len(due) >= 30
    assert not differences(found, due, ordered=False)


def test_operators_that_are_grouped_alike_have_a_watermark_each(spark: SparkSession, tmp_path: Path) -> None:
    """In one query; Spark could shuffle their rows once, and then has a watermark for one of them alone."""
    operators: dict[str, Any] = {"readings": SOURCE, "rows": {"type": "collect_sink"}}
    for name, sign in (("up", "+"), ("down", "-")):
        operators[f"fold_{name}"] = {
            "type": "scan", "group_by": ["device"], "state": {"n": {"initial": "0L", "next": f"n {sign} 1"}},
            "select": ["next.n AS n"]}
        operators[f"sum_{name}"] = {
            "type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 1000},
            "select": [f"0L {sign} (count(*) + 1000) AS n"]}
    links = [link for name in operators if "_" in name for link in (
        {"from": "readings", "to": name}, {"from": name, "to": "rows"})]
    graph = despina.Graph.from_dict({"format": 1, "name": "alike", "operators": operators, "links": links})
    files(tmp_path, readings(), 0, 4)
    mine = spark.newSession()
    mine.conf.set("spark.sql.shuffle.partitions", "1")
    found = streamed(graph.to_spark(mine, inputs={"readings": live(mine, tmp_path)}, streaming=True)["rows"]).rows
    up, down = (sorted(abs(row["n"]) for row in found if (row["n"] > 0) is rising) for rising in (True, False))
    assert up == down
    assert len([n for n in up if n < 1000]) >= 150
    assert len([n for n in up if n > 1000]) >= 150


def test_the_example_of_the_page(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                 capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[1] / "docs/spark-streaming.md").read_text()
    blocks = dict(reversed(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)))  # the first of each
    graph, script = blocks["json"], blocks["python"]
    monkeypatch.chdir(tmp_path)
    Path("power.graph.json").write_text(graph)
    Path("readings").mkdir()
    powers = [("a", 1.0), ("b", 5.0), ("a", 2.0), ("a", 3.0), ("b", 6.0), ("b", 6.5), ("a", 4.0), ("a", 1.0), ("b", 2.0)]
    lines = [f"2024-01-01T00:00:{second:02}Z,{machine},{power}" for second, (machine, power) in enumerate(powers)]
    Path("readings/first.csv").write_text("\n".join(reversed(lines)))
    exec(script, {"spark": spark.newSession()})
    assert sorted(re.findall(r"\|(\w)\|(\S+)\|", re.sub(r" +", "", capsys.readouterr().out))) == [("a", "3.0"), ("b", "6.5")]


def test_frames_are_of_the_form_that_is_asked_for(spark: SparkSession, tmp_path: Path) -> None:
    graph = despina.Graph.from_dict(GRAPH)
    files(tmp_path, readings(), 0, 1)
    stream, still = live(spark, tmp_path), spark.createDataFrame([], SCHEMA)
    with pytest.raises(RefusedError, match="the DataFrame for readings is a stream"):
        graph.to_spark(spark, inputs={"readings": stream})
    with pytest.raises(RefusedError, match="the DataFrame for readings is no stream"):
        graph.to_spark(spark, inputs={"readings": still}, streaming=True)
    with pytest.raises(RefusedError, match="the DataFrame for readings has a watermark already"):
        graph.to_spark(spark, inputs={"readings": stream.withWatermark("ts", "1 second")}, streaming=True)


def test_settings_of_streams_keep_no_frame_apart(spark: SparkSession, tmp_path: Path) -> None:
    files(tmp_path, readings(), 0, 1)
    mine = spark.newSession()
    mine.conf.set("spark.sql.streaming.minBatchesToRetain", "7")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frames = despina.Graph.from_dict(GRAPH).to_spark(mine, inputs={"readings": live(mine, tmp_path)}, streaming=True)
    assert frames["rows"].sparkSession is mine
    assert mine.conf.get(STATE_STORE) == ROCKS_DB


def test_a_state_store_that_is_set_stays(spark: SparkSession, tmp_path: Path) -> None:
    files(tmp_path, readings(), 0, 1)
    mine = spark.newSession()
    mine.conf.set(STATE_STORE, "an.other.Provider")
    despina.Graph.from_dict(GRAPH).to_spark(mine, inputs={"readings": live(mine, tmp_path)}, streaming=True)
    assert mine.conf.get(STATE_STORE) == "an.other.Provider"


def test_a_graph_without_state_leaves_the_session_as_it_is(spark: SparkSession) -> None:
    mine = spark.newSession()
    graph = despina.Graph.from_dict({
        "format": 1, "name": "numbers", "operators": {
            "numbers": {"type": "generator_source", "rate_per_s": 5, "rows": {"type": "select", "select": ["id"]}},
            "rows": {"type": "collect_sink"}}, "links": [{"from": "numbers", "to": "rows"}]})
    assert graph.to_spark(mine, streaming=True)["rows"].isStreaming
    assert STATE_STORE not in mine.conf.getAll
