"""``format("despina")`` in a session of Spark Connect, which has no jar of ours: the rows of a job that runs elsewhere."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Start
from support import spark_archive
from support.graphs import TWO, Fields, chain, rows, write
from support.processes import END_S, SOURCE, Command

COUNT = 5_000
SCRIPT = """
    import json, sys, time
    from pathlib import Path
    from pyspark.sql import SparkSession
    import despina

    job_file, folder, graph = sys.argv[1:]
    spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    despina.register_source(spark)

    def stream(**more):
        return spark.readStream.format("despina").options(**despina.job_options(job_file), **more).load()

    def read(trigger, ended):
        writer = stream(maxRowsPerTrigger=2000).writeStream.format("parquet").option("path", f"{folder}/rows")
        query = writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(**trigger).start()
        ended(query)
        query.stop()
        if error := query.exception():
            raise error
        return [progress.numInputRows for progress in query.recentProgress]

    def first_batch(query):
        while not query.recentProgress and query.isActive:
            time.sleep(0.05)

    def refused(call):
        try:
            call()
        except Exception as error:
            return str(error)
        return ""

    schema = stream().schema.simpleString()
    stranger = {**despina.job_options(job_file), "secret": "x" * 20}
    secret = refused(lambda: spark.read.format("despina").options(**stranger).load().schema)
    output = refused(lambda: stream(output="nowhere").schema)
    option = refused(lambda: stream(colour="red").schema)
    unreached = [refused(lambda: despina.load(graph).to_spark(spark)), refused(lambda: despina.load(graph).run(on=spark)),
                 refused(lambda: despina.live_writer(stream(), job_file))]
    @despina.function(adds="doubled BIGINT, later TIMESTAMP")
    def doubled(id, at):
        return 2 * id, at

    @despina.function(schema="key BIGINT, n BIGINT", group_by=["id % 3"], state="n BIGINT", clock="event", event_time="at")
    class Counts:
        def process(self, key, rows, state):
            state.n = (state.n or 0) + len(rows)

        def end(self, key, state):
            return key, state.n

    given = spark.range(10).selectExpr("id", "timestamp_seconds(id) AS at")
    called = sorted([row.id, row.doubled, row.at == row.later] for row in doubled.on(given).collect())
    counts = sorted(list(row) for row in Counts.on(given).collect())
    begun = read({"processingTime": "1 hour"}, first_batch)
    rest = read({"availableNow": True}, lambda query: query.awaitTermination(120))
    taken = spark.read.parquet(f"{folder}/rows")
    one = taken.where("id = 4").first().asDict(recursive=True)
    print(json.dumps({
        "schema": schema, "begun": begun, "rest": rest,
        "ids": sorted(row.id for row in taken.select("id").collect()), "one": {k: str(v) for k, v in one.items()},
        "secret": secret, "output": output, "option": option, "unreached": unreached, "called": called, "counts": counts}))
    spark.stop()
"""
GRAPH: Fields = chain(
    ("source", rows(COUNT, "id", "IF(id % 3 = 0, NULL, concat('w', id)) AS word", "array(id, NULL) AS pair",
                    "timestamp_seconds(1700000000 + id) AS at", "CAST(id / 7 AS DECIMAL(12, 4)) AS share",
                    "named_struct('x', DATE'2026-11-24', 'y', CAST('ab' AS BINARY)) AS part", "id > 3 AS big")),
    ("alarms", {"type": "discard_sink", "parallelism": 2}), links={"fuse": False}, name="served")


def script(*arguments: str | Path) -> dict[str, Any]:
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(SCRIPT), *map(str, arguments)], capture_output=True,
                          text=True, timeout=2 * END_S, check=False,
                          env={**os.environ, "PYTHONPATH": str(SOURCE), "PYSPARK_PYTHON": sys.executable, "TZ": "UTC",
                               "PYSPARK_SUBMIT_ARGS": spark_archive.arguments()})
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def serving(start: Start, folder: Path, *options: str | Path) -> tuple[Command, Path]:
    """A job that serves its sink, and its job file."""
    file = folder / "job.json"
    job = start("run", write(folder / "g.json", GRAPH), "--spool", "alarms", "--job-file", file, "--quiet", *options)
    job.until(file.exists, "job file")
    return job, file


def test_rows_of_a_running_job_come_once_with_their_types(start: Start, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.touch(0o600)
    secret.write_text(secrets.token_hex(16))
    job, file = serving(start, tmp_path, "--deployment", write(tmp_path / "d.json", TWO), "--secret-file", secret)
    found = script(file, tmp_path, tmp_path / "g.json")
    assert found["schema"] == ("struct<id:bigint,word:string,pair:array<bigint>,at:timestamp,share:decimal(12,4),"
                               "part:struct<x:date,y:binary>,big:boolean>")
    assert found["ids"] == list(range(COUNT))
    assert (found["begun"], found["rest"]) == ([2000], [2000, 1000]), "the checkpoint knows what came"
    assert found["one"] == {
        "id": "4", "word": "w4", "pair": "[4, None]", "at": "2023-11-14 22:13:24", "share": "0.5714",
        "part": "{'x': datetime.date(2026, 11, 24), 'y': b'ab'}", "big": "True"}
    assert "does not know this secret" in found["secret"]
    assert "`nowhere`" in found["output"]
    assert "has no option `colour`" in found["option"]
    assert found["called"] == [[k, 2 * k, True] for k in range(10)]
    assert found["counts"] == [[0, 4], [1, 3], [2, 3]]
    for refused in found["unreached"]:
        assert refused.startswith("error[spark_connect]: this is a session of Spark Connect: its driver runs elsewhere, and ")
        assert "\n  hint: run the script by spark-submit, or name a master" in refused
    assert job.end().code == 0, "all rows were taken"


def test_a_job_whose_rows_nobody_took_ends_incomplete(start: Start, tmp_path: Path) -> None:
    job, _ = serving(start, tmp_path, "--drain-ms", "100")
    job.interrupt()
