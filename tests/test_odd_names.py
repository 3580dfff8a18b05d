"""Columns of any name in every operator: the engine, Spark's batch and Spark's streams give the same rows.

More shuffles of the names, one a seed, come by ``make every`` and by variables of the environment.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import despina
from despina.backends import spark as spark_backend
from despina.engine import Engine
from support.every import EVERY, in_every
from support.odd_names import files, graph, read_again, write
from support.streams import streamed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST = int(os.environ.get("DESPINA_NAMES_FIRST", "0"))
BATCHES = int(os.environ.get("DESPINA_NAMES_BATCHES", "3" if EVERY else "1"))
STREAMS = int(os.environ.get("DESPINA_NAMES_STREAMS", "2"))
Found = Counter[tuple[str, str]]

by_py4j = pytest.mark.parametrize("engine", ["py4j"], indirect=True)


def counted(rows: list[dict[str, str]]) -> Found:
    """Rows by what they are and where they come from."""
    return Counter((row["port"], row["row"]) for row in rows)


def on_engine(odd: despina.Graph, engine: Engine) -> Found:
    """What reaches the graph's sink."""
    with odd.run(engine=engine) as job:
        table = job.rows("rows")
        job.wait()
    return counted(table.to_pylist())


def content(file: Path) -> object:
    """What a file holds, whatever Parquet's bytes are."""
    return parquet.read_table(file).to_pylist() if file.suffix == ".parquet" else file.read_text()


@by_py4j
@pytest.mark.parametrize("seed", range(FIRST, FIRST + BATCHES))
def test_batches(seed: int, engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, seed)
    odd = despina.Graph.from_dict(graph(seed, tmp_path, streams=False))
    ours = on_engine(odd, engine)
    # in one task: each takes in the whole query
    sparks = counted(odd.to_spark(spark)["rows"].coalesce(1).toArrow().to_pylist())
    assert (ours - sparks, sparks - ours) == (Counter(), Counter())
    assert {port for port, _ in ours} == {link["from"] for link in odd.to_dict()["links"] if link["to"].endswith("_row")}


@by_py4j
@in_every
@pytest.mark.parametrize("seed", range(FIRST, FIRST + STREAMS))
def test_streams(seed: int, engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    """There rows are held back that the watermark has not passed: a few of each operator, all of one behind another."""
    write(tmp_path, seed)
    odd = despina.Graph.from_dict(graph(seed, tmp_path, streams=True))
    mine = spark.newSession()
    mine.conf.set("spark.sql.shuffle.partitions", "1")      # a state store for each operator and partition
    ours, sparks = on_engine(odd, engine), counted(streamed(odd.to_spark(mine, streaming=True)["rows"]).rows)
    assert sparks - ours == Counter()
    assert {port for port, _ in ours} - {port for port, _ in sparks} <= {"of_folded"}


@by_py4j
def test_files(engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    """Written and read again in each format, and as rows of the program's."""
    write(tmp_path, 0)
    despina.Graph.from_dict(files(tmp_path, tmp_path / "engine")).run(engine=engine).wait()
    spark_backend.run(despina.Graph.from_dict(files(tmp_path, tmp_path / "spark")), spark)
    for kind in ("csv", "json", "parquet"):
        written, sparks = (list(map(content, sorted((tmp_path / who / kind).glob("part-*")))) for who in ("engine", "spark"))
        assert written, kind
        assert written == sparks, kind
    again = despina.Graph.from_dict(read_again(tmp_path / "engine"))
    ours = on_engine(again, engine)
    assert ours == counted(again.to_spark(spark)["rows"].toArrow().to_pylist())
    assert len({row for _, row in ours}) == 60
    rows = pa.concat_tables([parquet.read_table(file) for file in (tmp_path / "engine" / "parquet").glob("part-*")])
    given = dict.fromkeys(("csv", "json", "parquet"), rows)
    with again.run(engine=engine, inputs=given) as job:
        found = job.rows("rows")
        job.wait()
    assert counted(found.to_pylist()) == ours
    frames = {source: spark.createDataFrame(rows) for source in given}
    assert counted(again.to_spark(spark, inputs=frames)["rows"].toArrow().to_pylist()) == ours
