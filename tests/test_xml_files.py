"""XML files: the engine's are Spark's to the byte, and both read them alike. The cases in tests/cases have what is odd."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import despina
from despina.backends.spark import run as run_on_spark
from despina.engine import Engine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 500
SCHEMA = "_id BIGINT, at TIMESTAMP, price DECIMAL(20,3), words ARRAY<STRING>, pair STRUCT<_x: INT, _VALUE: STRING>"
SELECT = ["id AS _id", "timestamp_micros(id * 1000037000) AS at", "CAST(if(id % 7 = 0, NULL, id) / 8 AS DECIMAL(20, 3)) AS price",
          "if(id % 5 = 0, NULL, array('w' || id, ' <&>\"é')) AS words",
          "named_struct('_x', CAST(id AS INT), '_VALUE', 'v' || id) AS pair"]
READ = {"rowTag": "reading", "ignoreSurroundingSpaces": "false"}
WRITE = {"rowTag": "reading", "rootTag": "batch"}


def writing(folder: Path) -> despina.Graph:
    return despina.Graph.from_dict({"format": 1, "name": "documents", "operators": {
        "rows": {"type": "generator_source", "count": ROWS, "rows": {"type": "select", "select": SELECT}},
        "plain": {"type": "file_sink", "path": str(folder / "plain"), "format": "xml", "options": WRITE},
        "packed": {"type": "file_sink", "path": str(folder / "packed"), "format": "xml",
                   "options": WRITE | {"compression": "gzip"}}},
        "links": [{"from": "rows", "to": "plain"}, {"from": "rows", "to": "packed"}]})


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
def test_each_reads_the_elements_of_the_other(engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "engine", tmp_path / "spark"
    with writing(ours).run(engine=engine) as job:
        job.wait()
    run_on_spark(writing(theirs), spark)
    (mine,) = (ours / "plain").glob("part-*.xml")
    folders = [ours / "plain", ours / "packed", theirs / "plain", theirs / "packed"]
    sources = {f"from_{k}": {"type": "file_source", "path": str(folder), "format": "xml", "schema": SCHEMA, "options": READ}
               for k, folder in enumerate(folders)}
    graph = despina.Graph.from_dict({"format": 1, "name": "rows", "operators": {**sources, "rows": {"type": "collect_sink"}},
                                     "links": [{"from": source, "to": "rows"} for source in sources]})
    with graph.run(engine=engine) as job:
        found = sorted(job.rows("rows").to_pylist(), key=lambda row: row["_id"])
    assert [row["_id"] for row in found] == [k for k in range(ROWS) for _ in folders]
    assert all(row == found[k - k % len(folders)] for k, row in enumerate(found))
    wanted = spark.read.schema(SCHEMA).options(**READ).format("xml").load(str(ours / "plain")).orderBy("_id").coalesce(1)
    wanted.write.format("xml").options(**WRITE).save(str(tmp_path / "again"))
    (again,) = (tmp_path / "again").glob("part-*.xml")
    assert mine.read_bytes() == again.read_bytes()
    for row, other in zip(found[::len(folders)], wanted.collect(), strict=True):
        assert {**row, "at": row["at"].timestamp()} == {**other.asDict(recursive=True), "at": other["at"].timestamp()}
