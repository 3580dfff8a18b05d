"""``format("despina")`` with the job in executors, beside the tasks that read its rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from support.graphs import chain, rows, write
from support.processes import until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

COUNT = 2_000


@pytest.fixture
def options(spark: SparkSession, tmp_path: Path) -> dict[str, Any]:
    spark.sql(f"ADD JAR '{despina.spark_jar()}'")
    fields = chain(("source", rows(COUNT, "id")), ("alarms", {"type": "discard_sink"}), name="beside")
    return {"graph": str(write(tmp_path / "g.json", fields)), "output": "alarms", "on": "executors"}


def running(spark: SparkSession) -> int:
    """Tasks of jobs that run."""
    tracker = spark.sparkContext.statusTracker()
    stages = [stage for job in tracker.getActiveJobsIds() for stage in tracker.getJobInfo(job).stageIds]
    return sum(info.numActiveTasks for stage in stages if (info := tracker.getStageInfo(stage)))


def test_one_executor_runs_the_job_and_one_reads(spark: SparkSession, options: dict[str, Any], tmp_path: Path) -> None:
    frame = spark.readStream.format("despina").options(**options, maxRowsPerTrigger=800).load()
    writer = frame.writeStream.format("memory").queryName("beside").option("checkpointLocation", str(tmp_path / "c"))
    query: StreamingQuery = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    assert sorted(row.id for row in spark.table("beside").collect()) == list(range(COUNT))
    until(lambda: running(spark) == 0, "the slot comes back")


def test_a_job_that_leaves_no_slot_to_its_readers_is_refused(spark: SparkSession, options: dict[str, Any]) -> None:
    frame = spark.read.format("despina").options(**options, slotsLeft=2).load()
    with pytest.raises(Exception, match=r"error\[slots\]: the graph needs 3 slots, one for each resource and 2 for Spark's own "
                                        r"tasks, and Spark has 2"):
        frame.count()


def test_an_unknown_place_is_refused(spark: SparkSession, options: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"on=moon is not known\n  hint: driver or executors"):
        spark.read.format("despina").options(**options | {"on": "moon"}).load()
