"""Packed files: what the engine writes Spark reads, what Spark writes the engine reads, under the same endings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina.backends.spark import run as run_on_spark
from despina.engine import Engine
from despina.errors import GraphError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENDINGS = {"gzip": "gz", "bzip2": "bz2", "deflate": "deflate", "lz4": "lz4", "snappy": "snappy", "zstd": "zst"}
by_py4j = pytest.mark.parametrize("engine", ["py4j"], indirect=True)
ROWS = 3000
SELECT = ["id", "repeat(concat('word ', id), CAST(id % 5 AS INT)) AS words"]


def writing(folder: Path, codecs: list[str]) -> despina.Graph:
    """Generated rows into a folder for each codec."""
    operators: dict[str, Any] = {"rows": {"type": "generator_source", "count": ROWS,
                                          "rows": {"type": "select", "select": SELECT}}}
    for codec in codecs:
        operators[codec] = {"type": "file_sink", "path": str(folder / codec), "format": "json", "parallelism": 2,
                            "options": {"compression": codec.upper()}}
    return despina.Graph.from_dict({"format": 1, "name": "packing", "operators": operators,
                                    "links": [{"from": "rows", "to": codec} for codec in codecs]})


def reading(folders: list[Path]) -> despina.Graph:
    """All the folders, each by a source."""
    sources = {f"from_{k}": {"type": "file_source", "path": str(folder), "format": "json", "schema": "id BIGINT, words STRING"}
               for k, folder in enumerate(folders)}
    return despina.Graph.from_dict({"format": 1, "name": "unpacking", "operators": {**sources, "rows": {"type": "collect_sink"}},
                                    "links": [{"from": source, "to": "rows"} for source in sources]})


@by_py4j
def test_each_reads_what_the_other_has_packed(engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "engine", tmp_path / "spark"
    with writing(ours, list(ENDINGS)).run(engine=engine) as job:
        job.wait()
    run_on_spark(writing(theirs, [codec for codec in ENDINGS if codec != "zstd"]), spark)
    folders = sorted([*ours.iterdir(), *theirs.iterdir()])
    for folder in folders:
        names = [file.name for file in folder.glob("part-*")]
        assert names
        assert all(name.endswith(f".json.{ENDINGS[folder.name]}") for name in names)
    with reading(folders).run(engine=engine) as job:
        job.wait()
        found = [row["id"] for row in job.rows("rows")]
    assert sorted(found) == sorted(list(range(ROWS)) * len(folders))
    read = spark.read.schema("id BIGINT, words STRING").json([str(folder) for folder in folders])
    assert read.count() == ROWS * len(folders)
    assert read.distinct().count() == ROWS


def test_spark_packs_no_text_with_zstd(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="reads files of text that are packed with zstd, and writes none"):
        run_on_spark(writing(tmp_path, ["zstd"]), spark)
