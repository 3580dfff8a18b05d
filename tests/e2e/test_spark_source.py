"""``spark.read`` and ``spark.readStream`` with ``format("despina")``: the rows of a sink, while its job runs on the engine."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.functions import window

import despina
from despina.drivers.service import ServiceDriver
from despina.engine import Engine
from support import service_load
from support.graphs import TWO, Fields, chain, rows, write
from support.processes import SOURCE, alive, children, main_class, until

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

COUNT = 20_000
WORDS: Fields = chain(
    ("source", rows(COUNT, "id", "id * 2.5 AS scaled", "IF(id % 3 = 0, NULL, concat('w', id)) AS word",
                    "array(id, -id) AS pair")),
    ("even", {"type": "filter", "where": "id % 2 = 0"}),
    ("alarms", {"type": "file_sink", "path": "never.json", "format": "json"}),
    ("rest", {"type": "collect_sink"}), name="words")
WORDS["links"][-1] = {"from": "even.rejected", "to": "rest"}


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    return write(tmp_path / "words.graph.json", WORDS)


def stream(spark: SparkSession, graph: Path, **options: str | int) -> DataFrame:
    reader = spark.readStream.format("despina").option("graph", str(graph)).option("output", "alarms")
    return reader.options(**options).load()


def started(frame: DataFrame, folder: Path, name: str = "", **trigger: Any) -> StreamingQuery:
    """Into a table of that name, or nowhere."""
    writer = frame.writeStream.format("memory" if name else "noop").option("checkpointLocation", str(folder / "checkpoint"))
    writer = writer.trigger(**trigger) if trigger else writer
    return writer.queryName(name).start() if name else writer.start()


def batches(query: StreamingQuery) -> list[int]:
    return [progress["numInputRows"] for progress in query.recentProgress if progress["numInputRows"]]


def test_a_bounded_graph_is_read_with_the_rows_and_types_of_a_run(spark: SparkSession, graph: Path, tmp_path: Path) -> None:
    frame = spark.read.format("despina").option("graph", str(graph)).option("output", "alarms").load()
    fields = WORDS | {"operators": WORDS["operators"] | {"alarms": {"type": "collect_sink"}, "rest": {"type": "discard_sink"}}}
    with despina.Graph.from_dict(fields).run() as job:
        expected = job.rows("alarms").to_pylist()
    assert [row.asDict() for row in frame.collect()] == expected
    assert len(frame.collect()) == COUNT // 2, "the same plan reads them again"
    assert frame.selectExpr("sum(id)").collect()[0][0] == sum(range(0, COUNT, 2))
    assert not (tmp_path / "never.json").exists(), "other sinks, and this one's own file, are left out"


@pytest.mark.parametrize("deployment", [None, TWO], ids=["in the driver", "two resources"])
def test_instances_of_the_output_are_partitions(spark: SparkSession, tmp_path: Path, deployment: Fields | None) -> None:
    fields = chain(("source", rows(COUNT, "id")), ("alarms", {"type": "discard_sink", "parallelism": 2}))
    options = {"graph": str(write(tmp_path / "g.json", fields)), "output": "alarms"}
    if deployment:
        options["deployment"] = str(write(tmp_path / "d.json", deployment))
    frame = spark.read.format("despina").options(**options).load()
    assert frame.rdd.getNumPartitions() == 2
    assert sorted(row.id for row in frame.collect()) == list(range(COUNT))


def test_available_now_reads_to_the_end_in_batches_of_the_size_that_is_asked(spark: SparkSession, graph: Path,
                                                                            tmp_path: Path) -> None:
    query = started(stream(spark, graph, maxRowsPerTrigger=3_000), tmp_path, "limited", availableNow=True)
    query.awaitTermination()
    assert sum(batches(query)) == COUNT // 2
    assert max(batches(query)) <= 3_000
    assert len(batches(query)) >= 4
    assert [row.id for row in spark.sql("SELECT id FROM limited").collect()] == list(range(0, COUNT, 2))


def test_a_spool_smaller_than_the_rows_only_holds_the_job_up(spark: SparkSession, tmp_path: Path) -> None:
    fields = chain(("source", rows(COUNT * 10, "id", "repeat('x', 50) AS text")), ("alarms", {"type": "discard_sink"}))
    frame = stream(spark, write(tmp_path / "g.json", fields), spoolBytes=1 << 20)
    query = started(frame, tmp_path, availableNow=True)
    assert query.awaitTermination(120), "the job waits for a cut that never comes"
    assert sum(batches(query)) == COUNT * 10
    assert len(batches(query)) > 3


def test_a_checkpoint_of_an_earlier_run_is_refused_unless_the_graph_may_begin_again(spark: SparkSession, graph: Path,
                                                                                   tmp_path: Path) -> None:
    started(stream(spark, graph), tmp_path, availableNow=True).awaitTermination()
    refused = started(stream(spark, graph), tmp_path, availableNow=True)
    with pytest.raises(Exception, match=r"checkpoint is of an earlier run.*\n  hint: take another checkpointLocation"):
        refused.awaitTermination()
    again = started(stream(spark, graph, onRestart="begin"), tmp_path, availableNow=True)
    again.awaitTermination()
    assert sum(batches(again)) == COUNT // 2


def test_with_a_state_a_query_goes_on_and_has_each_row_once(spark: SparkSession, tmp_path: Path) -> None:
    """When the resource that has its rows is killed, and from its checkpoint when it was stopped."""
    fields = chain(("source", rows(COUNT, "id", rate_per_s=COUNT // 8)), ("alarms", {"type": "discard_sink"}))
    graph = write(tmp_path / "g.json", fields)
    deployment = write(tmp_path / "d.json", {"format": 1, "resources": {"far": {"start": "child"}}})

    def begun() -> StreamingQuery:
        frame = stream(spark, graph, state=str(tmp_path / "state"), epochMs=100, maxRowsPerTrigger=2_000, onEnd="stop",
                       deployment=str(deployment))
        writer = frame.writeStream.format("json").option("checkpointLocation", str(tmp_path / "checkpoint"))
        return writer.start(str(tmp_path / "rows"))

    def has_read(query: StreamingQuery, least: int) -> bool:
        return query.exception() is not None or sum(batches(query)) >= least

    first = begun()
    until(lambda: has_read(first, 1), "a batch")
    jvm = int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
    before = sum(batches(first))
    os.kill(next(pid for pid in children(jvm) if main_class(pid) == "ResourceMain"), signal.SIGKILL)
    until(lambda: has_read(first, before + 1), "a batch of the next attempt")
    assert first.exception() is None
    first.stop()
    second = begun()
    assert second.awaitTermination(60), "it waits for rows that never come"
    assert sum(batches(second)) < COUNT, "it began anew"
    assert sorted(row.id for row in spark.read.json(str(tmp_path / "rows")).collect()) == list(range(COUNT))


def test_rows_are_seen_before_their_epoch_is_complete_if_they_may_come_twice(spark: SparkSession, tmp_path: Path) -> None:
    fields = chain(("source", rows(None, "id", rate_per_s=1_000)), ("alarms", {"type": "discard_sink"}))
    options: dict[str, str | int] = {"state": str(tmp_path / "state"), "epochMs": 3_600_000, "delivery": "at_least_once"}
    query = started(stream(spark, write(tmp_path / "g.json", fields), **options), tmp_path)
    until(lambda: query.exception() is not None or batches(query), "a batch long before the first epoch")
    query.stop()


def test_a_query_of_a_job_that_fails_fails_with_its_cause(spark: SparkSession, tmp_path: Path) -> None:
    fields = chain(("source", rows(None, "1 DIV (5000 - id) AS n")), ("alarms", {"type": "discard_sink"}))
    graph = write(tmp_path / "g.json", fields)
    query = started(stream(spark, graph), tmp_path)
    with pytest.raises(Exception, match=r"the job of .*g\.json has failed: .*g\.json:\d+:\d+: error\[operator\]: operator "
                                        r"source, instance 0: Division by zero"):
        query.awaitTermination()
    fields["operators"]["source"]["count"] = COUNT
    frame = spark.read.format("despina").option("graph", str(write(graph, fields))).option("output", "alarms").load()
    with pytest.raises(Exception, match=r"has failed: .*error\[operator\]: operator source, instance 0: Division by zero"):
        frame.count()


def test_real_time_mode_gives_every_row_once(spark: SparkSession, tmp_path: Path) -> None:
    fields = chain(("source", rows(None, "id", rate_per_s=1_000)), ("alarms", {"type": "discard_sink"}))
    frame = stream(spark, write(tmp_path / "g.json", fields))
    writer = frame.writeStream.format("memory").queryName("timely").outputMode("update")
    query = writer.option("checkpointLocation", str(tmp_path / "c")).trigger(realTime="5 seconds").start()
    until(lambda: query.exception() is not None or len(batches(query)) >= 2, "two batches")
    query.stop()
    found = [row.id for row in spark.sql("SELECT id FROM timely").collect()]
    assert len(found) >= sum(batches(query)[:2]) > 0
    assert found == list(range(len(found)))
    assert query.id not in [one.id for one in spark.streams.active], "what Spark commits behind the stop has failed"


def test_a_query_of_a_job_that_has_ended_says_so_and_stops_if_it_shall(spark: SparkSession, graph: Path, tmp_path: Path) -> None:
    query = started(stream(spark, graph), tmp_path / "waits")
    until(lambda: query.lastProgress and query.lastProgress["sources"][0]["metrics"]["ended"] == "true", "end")
    assert query.isActive
    query.stop()
    windows = stream(spark, graph, onEnd="stop").selectExpr("timestamp_seconds(id) AS at").withWatermark("at", "1 second")
    counted = started(windows.groupBy(window("at", "100 seconds")).count(), tmp_path / "stops", "counted")
    assert counted.awaitTermination(60), "it waits for rows that never come"
    assert counted.exception() is None
    assert spark.sql("SELECT sum(count) FROM counted").collect()[0][0] == COUNT // 2 - 50, "all windows but the last have closed"


@pytest.mark.parametrize(("options", "message"), [
    ({"output": "alarm"}, r"words\.graph\.json:1:1: error\[output\]: the graph has no sink `alarm` to read rows of\n"
                          r"  hint: did you mean `alarms`\?"),
    ({}, r"error\[option\]: format\(\"despina\"\) needs option\(\"output\""),
    ({"output": "alarms", "maxRowPerTrigger": "3"}, r"has no option `maxRowPerTrigger`\n  hint: did you mean `maxRowsPer"),
    ({"output": "alarms", "maxRowsPerTrigger": "many"}, r"maxRowsPerTrigger=many is no number from 1 on"),
    ({"output": "alarms", "parameters.x": "1"}, r"has no option `parameters.x`\n  hint: did you mean `parameter\.NAME`\?"),
    ({"output": "alarms", "job": "j.json"}, r"no option `graph` beside option `job`\n"
                                              r"  hint: it goes with option `graph`; with `job` there are job, output, "),
    ({"output": "alarms", "readers": "2"}, r"no option `readers` beside option `graph`\n  hint: it goes with option `job`"),
    ({"output": "alarms", "deployment": "nowhere.json"}, r"error\[file_missing\]: no deployment file at nowhere\.json"),
    ({"output": "alarms", "state": "s", "delivery": "once"}, r"delivery=once is not known\n  hint: by_epoch or at_least_once"),
    ({"output": "alarms", "delivery": "at_least_once"}, r"this one keeps none\n  hint: add the option state, or leave delivery"),
], ids=["no such output", "no output", "no such option", "no number", "parameters", "two places", "many readers", "no deployment",
        "no such delivery", "no state"])
def test_refusals_say_what_to_do(spark: SparkSession, graph: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(Exception, match=message):
        spark.read.format("despina").option("graph", str(graph)).options(**options).load()


def test_a_graph_that_check_refuses_is_refused_with_the_same_words(spark: SparkSession, tmp_path: Path) -> None:
    fields = chain(("source", rows(9, "id")), ("odd", {"type": "filter", "where": "idd % 2 = 1"}),
                   ("alarms", {"type": "discard_sink"}))
    graph = write(tmp_path / "g.json", fields)
    with pytest.raises(despina.GraphError) as checked:
        despina.load(graph).check()
    with pytest.raises(Exception, match=re.escape(str(checked.value))):
        stream(spark, graph)


def test_rows_without_an_end_are_not_read_to_it(spark: SparkSession, tmp_path: Path) -> None:
    fields = chain(("source", rows(None, "id")), ("alarms", {"type": "discard_sink"}))
    graph = write(tmp_path / "g.json", fields)
    with pytest.raises(Exception, match=r"error\[output\]: the rows of `alarms` have no end.*\n  hint: spark.readStream"):
        spark.read.format("despina").option("graph", str(graph)).option("output", "alarms").load().count()
    query = started(stream(spark, graph), tmp_path, availableNow=True)
    with pytest.raises(Exception, match=r"error\[output\]: the rows of `alarms` have no end"):
        query.awaitTermination()


def spools_of(pid: int) -> list[str]:
    """Files of spools that a process has open, which have no names."""
    found = []
    with contextlib.suppress(FileNotFoundError):     # a process that Spark has run for a moment
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                found.append(str(entry.readlink()))
    return [target for target in found if "despina-spool-" in target]


def test_stopping_the_query_stops_the_job_and_frees_its_rows(spark: SparkSession, tmp_path: Path) -> None:
    fields = chain(("source", rows(None, "id")), ("alarms", {"type": "discard_sink"}))
    deployment = str(write(tmp_path / "d.json", TWO))
    spark_pid = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    before = set(children(spark_pid))
    query = started(stream(spark, write(tmp_path / "g.json", fields), deployment=deployment, spoolBytes=1 << 20), tmp_path)
    until(lambda: len(batches(query)) >= 1, "a batch")
    resources = set(children(spark_pid)) - before
    assert any(spools_of(pid) for pid in resources)
    query.stop()
    until(lambda: not any(map(alive, resources)), "end of the resources")


SCRIPT = """
import sys
from pyspark.sql import SparkSession
import despina

spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
         .config("spark.driver.bindAddress", "127.0.0.1").getOrCreate())
spark.sql(f"ADD JAR '{despina.spark_jar()}'")
frame = spark.readStream.format("despina").options(graph=sys.argv[1], output="alarms", deployment=sys.argv[2]).load()
query = frame.writeStream.format("noop").option("checkpointLocation", sys.argv[3]).start()
while not query.recentProgress:
    query.awaitTermination(0.1)
print(spark._jvm.java.lang.ProcessHandle.current().pid(), flush=True)
query.awaitTermination()
"""


def test_a_driver_that_got_the_jar_late_and_is_killed_takes_its_resources_and_rows_with_it(tmp_path: Path) -> None:
    fields = chain(("source", rows(None, "id", rate_per_s=10_000)), ("alarms", {"type": "discard_sink"}))
    command = [sys.executable, "-c", SCRIPT, str(write(tmp_path / "g.json", fields)), str(write(tmp_path / "d.json", TWO)),
               str(tmp_path / "c")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, "PYTHONPATH": str(SOURCE)}) as script:
        assert script.stdout is not None
        driver = int(script.stdout.readline() or pytest.fail("the query did not begin"))
        resources = children(driver)
        assert any(spools_of(pid) for pid in resources)
        os.kill(driver, signal.SIGKILL)
        until(lambda: not any(map(alive, resources)), "end of the resources")
        script.kill()


def test_a_python_source_takes_another_name_beside_the_jar(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", sys.executable)
    with pytest.raises(despina.RefusedError, match="has a format despina already") as refused:
        despina.register_source(spark)
    assert 'register_source(spark, "despina_job")' in refused.value.hint
    despina.register_source(spark, "despina_job")
    with pytest.raises(Exception, match=r"needs option\(\"address\""):
        spark.read.format("despina_job").load()


def test_workers_without_pyarrow_are_told_of_at_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch,
                                                     tmp_path: Path) -> None:
    bare = tmp_path / "python3"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(bare))
    with pytest.raises(despina.RefusedError, match=f"Spark's workers run {bare}, which has no pyarrow") as refused:
        despina.register_source(spark, "other")
    assert refused.value.hint == f"set PYSPARK_PYTHON={sys.executable} before the session starts"


def test_a_job_of_a_service_is_written_and_read_by_its_name(spark: SparkSession, tmp_path: Path) -> None:
    fields = chain(("given", {"type": "spark_source", "schema": "id BIGINT"}), ("alarms", {"type": "discard_sink"}), name="plant")
    with service_load.served() as home:
        token = home.folder / "admin.token"
        home.client.submit({"graph": json.dumps(fields), "spool": ["alarms"]})
        options = {"service": home.url, "job": "plant", "tokenFile": str(token)}
        with pytest.raises(Exception, match=r"serves no rows of `given`\n  hint: .* or so with `despina submit`"):
            spark.read.format("despina").options(**options, output="given").load()
        with pytest.raises(Exception, match=r"error\[job\]: there is no job 'plan'\n  hint: did you mean plant\?"):
            spark.read.format("despina").options(**options | {"job": "plan"}, output="alarms").load()
        frame = spark.readStream.format("despina").options(**options, output="alarms", onEnd="stop").load()
        query = started(frame, tmp_path, "plant")
        spark.range(COUNT).write.format("despina").mode("append").options(**options).save()
        despina.Job(Engine(ServiceDriver(home.client), "service"), "plant/1", "plant").end_input("given")
        assert query.awaitTermination(60)
        assert sorted(row.id for row in spark.sql("SELECT id FROM plant").collect()) == list(range(COUNT))
        home.until("plant", "done")
        shown = query._jsq.explainInternal(True) + str([progress.json for progress in query.recentProgress])
        assert token.read_text().strip() not in shown
