"""Jobs on a live session: what Spark shows of them, what ends them, and what is left for others."""

from __future__ import annotations

import os
import signal
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import StreamingQueryException

from despina import Graph, Job
from despina.engine import Engine
from despina.errors import DespinaError, JobError, RefusedError
from support import redis_servers
from support.graphs import chain, relay, rows
from support.processes import over, until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENDLESS = Graph.from_dict(relay(rate_per_s=10_000))


def on(*names: str) -> dict[str, Any]:
    """A deployment of those resources, in executors."""
    return {"format": 1, "resources": {name: {"start": "executor"} for name in names}}


def flows(job: Job) -> None:
    """Waits for a packet at the sink."""
    until(lambda: job.counters.operators.get("sink", {}).get("packets_in", 0) > 0, "packet")


@pytest.fixture
def job(spark: SparkSession) -> Iterator[Job]:
    """A job without end on both executors."""
    with ENDLESS.run(on=spark) as started:
        flows(started)
        yield started
        if not started.counters.ended:
            started.stop("now")


def test_rows_come_from_two_executors(spark: SparkSession) -> None:
    graph = chain(("source", rows(1000, "id AS n")), ("high", {"type": "filter", "where": "n >= 900"}),
                  ("sink", {"type": "collect_sink"}), links={"fuse": False})
    with Graph.from_dict(graph).run(on=spark) as job:
        assert [row["n"] for row in job.rows().to_pylist()] == list(range(900, 1000))
        pids = {one["pid"] for one in job.counters.resources.values()}
        report = job.report()
    assert len(pids) == 2
    assert report["on"] == "executors"
    assert report["links"]["source->high"]["bytes_on_wire"] > 0


def test_a_connector_of_a_part_runs_where_its_operators_are(spark: SparkSession, tmp_path: Path) -> None:
    with redis_servers.Redis(tmp_path / "redis") as server:
        server.send("numbers", [str(number) for number in range(1000)])
        read = redis_servers.source(server, "numbers", format="csv", schema="n BIGINT")
        graph: dict[str, Any] = chain(("reading", {"type": "part", "part": "reading"}),
                                      ("kept", {"type": "filter", "where": "n >= 0"}),
                                      ("out", {"type": "collect_sink"}), links={"fuse": False})
        graph["parts"] = {"reading": {"type": "inline", "outputs": {"out": "in"}, "operators": {"in": read}, "links": []}}
        with Graph.from_dict(graph).run(on=spark, deployment=on("one", "other"), state=str(tmp_path / "state")) as job:
            assert [row["n"] for row in job.rows().to_pylist()] == list(range(1000))
            assert len({one["pid"] for one in job.counters.resources.values()}) == 2
        assert "despina-redis.jar" in {file.rpartition("/")[2] for file in spark.sparkContext.listFiles}


@contextmanager
def named(spark: SparkSession, python: str) -> Iterator[None]:
    """The application names its Python in the block."""
    conf = spark._jsc.sc().conf()
    conf.set("spark.pyspark.python", python)
    try:
        yield
    finally:
        conf.remove("spark.pyspark.python")


def marked(file: Path, mark: str) -> Path:
    """A Python that is known by its mark."""
    file.write_text(f'#!/bin/sh\nMARK={mark} exec {sys.executable} "$@"\n')
    file.chmod(0o700)
    return file


@pytest.fixture(scope="module")
def packed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python of an archive that the application has sent, as executors see it, with a module that it has sent too."""
    folder = tmp_path_factory.mktemp("packed")
    with tarfile.open(folder / "packed.tar.gz", "w:gz") as archive:
        archive.add(marked(folder / "python", "packed"), "bin/python")
    with zipfile.ZipFile(folder / "sent.zip", "w") as modules:
        modules.writestr("sent_words.py", 'MORE = " and sent"\n')
    spark.sparkContext.addArchive(f"{folder / 'packed.tar.gz'}#environment")
    spark.sparkContext.addPyFile(str(folder / "sent.zip"))
    return "./environment/bin/python"


@pytest.mark.parametrize("is_packed", [False, True], ids=["path", "archive"])
def test_functions_run_by_the_python_of_sparks_own_workers(spark: SparkSession, tmp_path: Path, packed: str,
                                                           is_packed: bool) -> None:
    (tmp_path / "marks.py").write_text('import os\n\ndef mark(n):\n    return os.environ.get("MARK")\n')
    graph = Graph.from_dict(chain(("source", rows(3, "id AS n")), ("tried", {
        "type": "python", "function": "marks:mark", "adds": "mark STRING"}), ("sink", {"type": "collect_sink"})))
    python = packed if is_packed else str(marked(tmp_path / "python", "mine"))
    with named(spark, python), graph.run(on=spark, modules=[tmp_path]) as job:
        assert [row["mark"] for row in job.rows().to_pylist()] == ["packed" if is_packed else "mine"] * 3


MEMORY = "resource.pyspark.memory"
"""By which Spark tells a task what the application has as ``spark.executor.pyspark.memory`` from its start, in MiB."""
SEEN = """
import os
import time
from pathlib import Path

import sent_words


class Seen:
    def process(self, key, row, state):
        state.n = (state.n or 0) + 1
        if row.path:
            Path(row.path).with_suffix(".new").write_text(str(os.getpid()))
            Path(row.path).with_suffix(".new").rename(row.path)
            time.sleep(600)
        return key, state.n, os.environ["MARK"] + sent_words.MORE
"""


def test_functions_with_state_of_a_stream_run_in_the_executors(spark: SparkSession, tmp_path: Path, packed: str) -> None:
    """By the Python of Spark's own workers, of an archive, with modules that came with the graph and those that the application
    has sent, and the memory that Spark gives its workers; a task that is killed leaves no process.
    """
    for folder in ("modules", "given"):
        (tmp_path / folder).mkdir()
    (tmp_path / "modules/seen.py").write_text(SEEN)
    schema = "ts TIMESTAMP, device STRING, path STRING"
    graph = Graph.from_dict(chain(
        ("readings", {"type": "file_source", "path": "nothing.csv", "format": "csv", "schema": schema,
                      "event_time": {"column": "ts", "order_by": ["device"]}}),
        ("seen", {"type": "python", "function": "seen:Seen", "group_by": ["device"], "clock": "event", "state": "n BIGINT",
                  "schema": "device STRING, n BIGINT, mark STRING"}),
        ("rows", {"type": "collect_sink"})))
    mine = spark.newSession()
    mine.conf.set("spark.sql.shuffle.partitions", "1")
    read = mine.readStream.schema(schema).option("maxFilesPerTrigger", 1).csv(str(tmp_path / "given"))
    with named(spark, packed):
        frame = graph.to_spark(mine, inputs={"readings": read}, streaming=True, modules=[tmp_path / "modules"])["rows"]
    (tmp_path / "modules/seen.py").unlink()
    writing = frame.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    (tmp_path / "given/1.csv").write_text("2024-01-01T00:00:01Z,a,\n2024-01-01T00:00:02Z,b,\n2024-01-01T00:00:02Z,a,\n")
    (tmp_path / "given/2.csv").write_text("2024-01-01T00:00:09Z,a,\n")
    writing.trigger(availableNow=True).start(str(tmp_path / "into")).awaitTermination()
    found = mine.read.parquet(str(tmp_path / "into")).collect()
    assert sorted(map(tuple, found)) == [("a", 1, "packed and sent"), ("a", 2, "packed and sent"), ("b", 1, "packed and sent")]
    path = tmp_path / "pid"
    (tmp_path / "given/3.csv").write_text(f"2024-01-01T00:00:10Z,b,{path}\n2024-01-01T00:00:11Z,b,\n")
    query = writing.trigger(processingTime="0 seconds").start(str(tmp_path / "into"))
    until(path.exists, "call", ended=lambda: str(query.exception() or ""))
    query.stop()
    until(lambda: not Path("/proc", path.read_text()).exists(), "end of its process")
    (tmp_path / "given/3.csv").unlink()
    spark.sparkContext.setLocalProperty(MEMORY, "17")
    try:
        with pytest.raises(StreamingQueryException, match=f"MiB, more than memory_bytes={17 << 20}"):
            frame.writeStream.format("noop").trigger(availableNow=True).start().awaitTermination()
    finally:
        spark.sparkContext.setLocalProperty(MEMORY, None)


def test_spark_shows_a_job_for_each_resource_under_the_graphs_name(job: Job, spark: SparkSession) -> None:
    tracker = spark.sparkContext.statusTracker()
    jobs = tracker.getJobIdsForGroup(job.id)
    assert len(jobs) == 2
    store = spark._jsc.sc().statusStore()
    assert {store.job(one).description().get() for one in jobs} == {
        f"{job.id}: resource executor_1", f"{job.id}: resource executor_2"}
    assert job.id.startswith("relay-")


def test_a_stopped_job_gives_its_slots_back(job: Job, spark: SparkSession) -> None:
    job.stop()
    assert job.wait().state == "stopped"
    until(lambda: not spark.sparkContext.statusTracker().getActiveJobsIds(), "end of its Spark jobs")
    assert spark.range(10, numPartitions=2).count() == 10


@pytest.mark.parametrize("flush", [False, True])
def test_a_stop_counts_what_operators_hold_or_flushes_it(spark: SparkSession, flush: bool) -> None:
    graph = chain(("source", rows(None, "id", "timestamp_seconds(id) AS ts", rate_per_s=200,
                                  event_time={"column": "ts", "max_delay_ms": 100_000, "order_by": ["id"]})),
                  ("once", {"type": "deduplicate", "by": ["id"], "within_ms": 1000, "accept": ["late"]}),
                  ("sink", {"type": "discard_sink"}), links={"fuse": False})
    with Graph.from_dict(graph).run(on=spark) as job:
        flows(job)
        job.stop(flush=flush)
        status = job.wait()
    once = status.operators["once"]
    assert once["packets_in"] == once["packets_out"] + once["held"]
    assert status.held == once["held"] == (0 if flush else 101)


def test_a_schedule_is_set_while_it_runs(job: Job) -> None:
    job.set_schedule("relay", {"type": "count", "packets": 8})
    before = job.counters.operators["sink"]["packets_in"]
    until(lambda: job.counters.operators["sink"]["packets_in"] > before, "more packets")


def test_without_a_free_slot_it_is_refused_in_numbers(job: Job, spark: SparkSession) -> None:
    with pytest.raises(RefusedError) as refused:
        ENDLESS.run(on=spark)
    assert refused.value.rule == "slots"
    assert refused.value.message == (
        "the graph needs 2 slots, one for each resource, and Spark has 0 free of 2: 2 executors with 1 cores each, "
        "spark.task.cpus=1, at master local-cluster[2,1,1024]")
    assert not job.counters.ended


def test_more_resources_than_slots_are_refused_with_the_master_that_has_them(spark: SparkSession) -> None:
    with pytest.raises(RefusedError) as refused:
        ENDLESS.run(on=spark, deployment=on("a", "b", "c"))
    assert "needs 3 slots" in refused.value.message
    assert refused.value.hint == "local-cluster[3,1,1024] has enough"


def test_a_resource_that_is_a_child_is_refused(spark: SparkSession) -> None:
    with pytest.raises(RefusedError, match="is not to run in an executor"):
        ENDLESS.run(on=spark, deployment={"format": 1, "resources": {"a": {}}})


def test_more_memory_than_an_executor_has_is_refused(spark: SparkSession) -> None:
    deployment = on("a")
    deployment["resources"]["a"]["memory_bytes"] = 1 << 30
    with ENDLESS.run(on=spark, deployment=deployment) as job, pytest.raises(DespinaError, match=r"spark\.executor\.memory=1g"):
        job.wait()


def test_a_cancelled_job_group_ends_the_job(job: Job, spark: SparkSession) -> None:
    spark.sparkContext.cancelJobGroup(job.id)
    with pytest.raises(JobError, match="cancelled part of cancelled job group"):
        job.wait()


def test_a_job_that_is_cancelled_while_it_starts_leaves_nothing(spark: SparkSession) -> None:
    job = ENDLESS.run(on=spark)
    job.stop("now")
    assert job.wait().state == "stopped"
    until(lambda: not spark.sparkContext.statusTracker().getActiveJobsIds(), "end of its Spark jobs")
    with ENDLESS.run(on=spark) as another:
        flows(another)


def test_a_killed_executor_ends_the_job_and_the_session_goes_on(job: Job, spark: SparkSession) -> None:
    victim = next(iter(job.counters.resources.values()))["pid"]
    os.kill(victim, signal.SIGKILL)
    with pytest.raises(JobError, match=r"resource `executor_\d` was lost: "):
        job.wait()
    with ENDLESS.run(on=spark) as next_job:
        flows(next_job)
        assert victim not in {one["pid"] for one in next_job.counters.resources.values()}
        next_job.stop("now")


def test_a_job_with_a_state_goes_on_when_an_executor_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    graph = chain(("source", rows(None, "id AS n", rate_per_s=1000)), ("high", {"type": "filter", "where": "n >= 0"}),
                  ("sink", {"type": "file_sink", "path": str(tmp_path / "out"), "format": "csv"}), links={"fuse": False})
    with Graph.from_dict(graph).run(on=spark, state=str(tmp_path / "state"), epoch_ms=100) as job:
        flows(job)
        until(lambda: job.counters.epoch.get("complete", 0) > 1, "an epoch")
        victim = next(iter(job.counters.resources.values()))["pid"]
        os.kill(victim, signal.SIGKILL)
        until(lambda: job.poll().restarts == 1, "its restart", ended=over(job))
        before = job.poll().epoch.get("complete", 0)
        until(lambda: job.poll().epoch.get("complete", 0) > before, "an epoch of the next attempt", ended=over(job))
        job.stop()
        status = job.wait()
    assert (status.state, status.restarts) == ("stopped", 1)
    assert victim not in {one["pid"] for one in status.resources.values()}
    lines = [line for file in (tmp_path / "out").glob("[!._]*") for line in file.read_text().splitlines()]
    numbers = sorted(int(line) for line in lines if line.isdigit())
    assert numbers
    assert numbers == list(range(len(numbers)))


def test_the_rows_of_a_program_reach_the_executors(engine: Engine) -> None:
    graph = Graph.from_dict(chain(("source", rows(1, "id AS n")), ("sink", {"type": "collect_sink"})))
    with graph.run(engine=engine, inputs={"source": [{"n": 7}, {"n": 8}]}) as job:
        assert [row["n"] for row in job.rows().to_pylist()] == [7, 8]
