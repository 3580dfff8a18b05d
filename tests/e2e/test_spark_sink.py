"""``df.writeStream`` and ``df.write`` with ``format("despina")``: rows that a running job's ``spark_source`` takes once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import despina
from support import sink_kills
from support.graphs import Fields, chain, rows, write
from support.processes import until

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.engine import Engine
    from despina.job import Job

GIVEN: Fields = chain(("source", {"type": "spark_source", "schema": "id BIGINT NOT NULL, word STRING, pair ARRAY<INT>",
                                  "parallelism": 2}),
                      ("odd", {"type": "filter", "where": "id % 2 = 1"}), ("rows", {"type": "collect_sink"}), name="given")


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with despina.Graph.from_dict(GIVEN).run() as running, running.file(tmp_path / "job.json"):
        yield running


def taken(job: Job) -> list[int]:
    """What has come through when nothing more comes."""
    job.end_input("source")
    assert job.wait(60).state == "done"
    return sorted(row["id"] for row in job.rows("rows").to_pylist())


def frame(spark: SparkSession, end: int) -> DataFrame:
    """In another order of columns than the source has them."""
    return spark.range(0, end, 1, 3).selectExpr("IF(id % 3 = 0, NULL, concat('w', id)) AS word", "id",
                                                "array(CAST(id AS INT), NULL) AS pair")


def files(folder: Path, numbers: range) -> None:
    """One more file for a stream of files, with a row for each number."""
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / f"{numbers.start}.json").write_text("".join(json.dumps({"id": n}) + "\n" for n in numbers))


def stream(spark: SparkSession, folder: Path, **options: str) -> None:
    """Runs a query over the files that its checkpoint has not had yet, a file in each epoch."""
    ids = spark.readStream.schema("id BIGINT").option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    query = (ids.selectExpr("coalesce(id, -1L) AS id", "'w' AS word", "CAST(NULL AS ARRAY<INT>) AS pair").writeStream
             .format("despina").option("job", str(folder / "job.json")).options(**options)
             .option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start())
    query.awaitTermination()


def test_a_batch_is_written_with_its_rows_and_types(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    frame(spark, 1_000).write.format("despina").mode("append").option("job", str(tmp_path / "job.json")).save()
    frame(spark, 10).write.format("despina").mode("append").options(job=str(tmp_path / "job.json"), input="source").save()
    job.end_input("source")
    job.wait(60)
    found = sorted(job.rows("rows").to_pylist(), key=lambda row: int(row["id"]))
    odd = sorted([*range(1, 1_000, 2), *range(1, 10, 2)])
    assert found == [{"id": n, "word": None if n % 3 == 0 else f"w{n}", "pair": [n, None]} for n in odd]


def test_an_epoch_that_spark_repeats_is_taken_once(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    files(tmp_path, range(10))
    files(tmp_path, range(10, 30))
    stream(spark, tmp_path)
    last = max(int(path.name) for path in (tmp_path / "checkpoint/commits").glob("[0-9]*"))
    assert last >= 1
    for log in (f"{last}", f".{last}.crc"):
        (tmp_path / "checkpoint/commits" / log).unlink(missing_ok=True)
    stream(spark, tmp_path)     # as after a driver that died when the engine had the epoch, and Spark did not know it
    files(tmp_path, range(30, 40))
    stream(spark, tmp_path)
    assert taken(job) == list(range(1, 40, 2))


def test_a_checkpoint_of_another_run_of_the_job_is_refused_unless_rows_may_be_missing(spark: SparkSession, job: Job,
                                                                                      tmp_path: Path) -> None:
    files(tmp_path, range(10))
    stream(spark, tmp_path)
    assert taken(job) == list(range(1, 10, 2))
    (tmp_path / "job.json").unlink()
    files(tmp_path, range(10, 20))
    with despina.Graph.from_dict(GIVEN).run() as other, other.file(tmp_path / "job.json"):
        with pytest.raises(Exception, match=r"error\[epoch\]: the query goes on with epoch 1, and job given-\d+ has had none of "
                                            r"its epochs.*\n  hint: take another checkpointLocation, or option\(\"onRestart\", "):
            stream(spark, tmp_path)
        stream(spark, tmp_path, onRestart="skip")
        assert taken(other) == list(range(11, 20, 2))


@pytest.mark.parametrize(("select", "options", "message"), [
    (["id", "word"], {}, r"error\[columns\]: the DataFrame does not fit .*job\.json: there is no column `pair` ARRAY<INT>"),
    (["CAST(id AS INT) AS id", "word", "pair", "1 AS more"], {},
     r"column `id` is INT, not BIGINT; column `more` is none of the source's\n"
     r"  hint: df\.selectExpr\(\"CAST\(id AS BIGINT\) AS id\", \"word\", \"pair\"\)"),
    (["*"], {"input": "odd"}, r"error\[operator\]: job given-\d+ takes no rows for `odd`\n"
                              r"  hint: programs give rows to a spark_source: source"),
    (["*"], {"onRestart": "begin"}, r"error\[option\]: onRestart=begin is not known\n  hint: refuse or skip"),
    (["*"], {"inputs": "source"}, r"has no option `inputs`\n  hint: did you mean `input`\?"),
    (["*"], {"job": "nowhere.json"}, r"error\[file_missing\]: no job file at nowhere\.json"),
    (["word", "pair", "IF(id = 3, NULL, id) AS id"], {}, r"column `id` is NOT NULL but has no value"),
], ids=["a column is missing", "another type", "no such source", "no such word", "no such option", "no job file", "no value"])
def test_refusals_say_what_to_do(spark: SparkSession, job: Job, tmp_path: Path, select: list[str], options: dict[str, str],
                                 message: str) -> None:
    writer = frame(spark, 5).selectExpr(*select).write.format("despina").mode("append")
    with pytest.raises(Exception, match=message):
        writer.options(**{"job": str(tmp_path / "job.json"), **options}).save()
    job.end_input("source")
    job.wait(60)
    assert not job.rows("rows").to_pylist(), "a batch that fails leaves nothing"


def test_rows_are_appended_and_never_replaced(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"error\[mode\]: rows that a job has taken are not replaced.*\n  hint: mode\(\"append"):
        frame(spark, 5).write.format("despina").mode("overwrite").option("job", str(tmp_path / "job.json")).save()
    assert not taken(job)


def test_a_job_that_has_ended_is_told(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    job.end_input("source")
    job.wait(60)
    with pytest.raises(Exception, match=r"error\[state\]: job given-\d+ is done, not running"):
        frame(spark, 5).write.format("despina").mode("append").option("job", str(tmp_path / "job.json")).save()


def test_only_a_source_that_spark_writes_to_has_its_input_ended(job: Job) -> None:
    with pytest.raises(despina.JobError, match="takes no rows for operator `odd`"):
        job.end_input("odd")


OWN: Fields = {"format": 1, "name": "own", "parameters": {"out": {}},
               "operators": {"source": {"type": "spark_source", "schema": "id BIGINT"},
                             "shares": {"type": "project", "select": ["1000 DIV (50 - id) AS share"]},
                             "rows": {"type": "file_sink", "path": "${out}", "format": "csv"}},
               "links": [{"from": "source", "to": "shares"}, {"from": "shares", "to": "rows"}]}


def test_a_graph_runs_for_a_batch_or_a_query_and_ends_with_it(spark: SparkSession, tmp_path: Path) -> None:
    options = {"graph": str(write(tmp_path / "own.graph.json", OWN)), "parameter.out": str(tmp_path / "batch")}
    spark.range(10).write.format("despina").mode("append").options(**options).save()
    assert (tmp_path / "batch/_SUCCESS").exists(), "save() has waited for the end of the job"
    assert sum(len(part.read_text().split()) for part in (tmp_path / "batch").glob("part*")) == 10
    failing = {"parameter.out": str(tmp_path / "failing")}
    with pytest.raises(Exception, match=r"the job of .*own\.graph\.json has failed: .*error\[operator\]: operator shares, "
                                        r"instance 0: Division by zero"):
        spark.range(51).write.format("despina").mode("append").options(**(options | failing), input="source").save()
    files(tmp_path, range(5))
    files(tmp_path, range(5, 9))
    query = (spark.readStream.schema("id BIGINT").option("maxFilesPerTrigger", 1).json(str(tmp_path / "in")).writeStream
             .format("despina").options(**(options | {"parameter.out": str(tmp_path / "stream")}))
             .option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start())
    query.awaitTermination()
    until((tmp_path / "stream/_SUCCESS").exists, "end of the job")
    assert sum(len(part.read_text().split()) for part in (tmp_path / "stream").glob("part*")) == 9


def test_a_graph_with_another_source_does_not_end_with_the_query(spark: SparkSession, tmp_path: Path) -> None:
    fields = json.loads(json.dumps(GIVEN))
    fields["operators"] |= {"more": rows(9, "id"), "rest": {"type": "discard_sink"}}
    fields["links"].append({"from": "more", "to": "rest"})
    writer = spark.range(5).write.format("despina").mode("append")
    with pytest.raises(Exception, match=r"has other sources than `source`, which would not end with the query\n  hint: despina"):
        writer.option("graph", str(write(tmp_path / "g.json", fields))).save()
    with pytest.raises(Exception, match=r"has no spark_source `in`\n  hint: there are: source"):
        writer.options(graph=str(write(tmp_path / "g.json", GIVEN)), input="in").save()


def test_rows_in_real_time_mode_come_as_they_are(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    more = chain(("source", rows(None, "id", rate_per_s=500)), ("alarms", {"type": "discard_sink"}))
    frame = (spark.readStream.format("despina").options(graph=str(write(tmp_path / "g.json", more)), output="alarms").load()
             .selectExpr("id", "'w' AS word", "array(CAST(id AS INT)) AS pair"))
    query = (despina.live_writer(frame, tmp_path / "job.json", input="source").outputMode("update")
             .option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(realTime="5 seconds").start())
    until(lambda: query.exception() or job.counters.operators["odd"]["packets_in"] > 500, "rows before their batch ends")
    query.stop()
    assert query.exception() is None
    found = taken(job)
    assert found == list(range(1, 2 * len(found), 2))


def test_a_driver_that_is_killed_goes_on_with_no_row_lost_and_none_twice(spark: SparkSession, engine: Engine,
                                                                         tmp_path: Path) -> None:
    with sink_kills.start(engine, tmp_path) as job, job.file(tmp_path / "job.json"):
        sink_kills.kill_a_driver(tmp_path, {"job": str(tmp_path / "job.json")}, 0, "1")
        before = len(list((tmp_path / "checkpoint/commits").glob("[0-9]*")))
        numbers = spark.readStream.format("rate-micro-batch").options(rowsPerBatch=sink_kills.EPOCH_ROWS, numPartitions=3).load()
        query = (numbers.select("value").writeStream.format("despina").option("job", str(tmp_path / "job.json"))
                 .option("checkpointLocation", str(tmp_path / "checkpoint")).start())
        until(lambda: query.recentProgress, "an epoch after the kill")
        query.stop()
        found = sink_kills.look(job, tmp_path, sink_kills.Found())
    assert found.wrong == []
    assert found.epochs > before >= 1


def test_a_job_of_the_querys_own_goes_on_from_its_state_when_its_driver_is_killed(tmp_path: Path) -> None:
    found = sink_kills.run_with_state(tmp_path, 2, 1)
    assert (found.wrong, found.stops, found.kills) == ([], 1, 1)
    assert found.epochs >= 3
