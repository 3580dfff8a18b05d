"""Parquet files: the engine's are read by Spark and by Arrow, Spark's by the engine, and streams of them are equal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError

import despina
from despina.backends.spark import run as run_on_spark
from despina.engine import Engine
from despina.errors import GraphError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

by_py4j = pytest.mark.parametrize("engine", ["py4j"], indirect=True)
ROWS = 1000
SCHEMA = "id BIGINT, at TIMESTAMP, price DECIMAL(20,3), words ARRAY<STRING>, pair STRUCT<x: INT, y: DATE>, span INTERVAL DAY"
SELECT = ["id", "timestamp_micros(id * 1000037) AS at", "CAST(if(id % 7 = 0, NULL, id) / 8 AS DECIMAL(20, 3)) AS price",
          "if(id % 5 = 0, NULL, array('w' || id, NULL)) AS words",
          "named_struct('x', CAST(id AS INT), 'y', date_add(DATE '2020-01-01', CAST(id % 400 AS INT))) AS pair",
          "CAST(id AS INTERVAL DAY) AS span"]
ENDINGS = {"snappy": ".snappy.parquet", "zstd": ".zstd.parquet", "none": ".parquet"}


def writing(folder: Path) -> despina.Graph:
    """Generated rows into a folder for each codec."""
    operators: dict[str, Any] = {"rows": {"type": "generator_source", "count": ROWS,
                                          "rows": {"type": "select", "select": SELECT}}}
    for codec in ENDINGS:
        operators[codec] = {"type": "file_sink", "path": str(folder / codec), "format": "parquet", "parallelism": 2,
                            "options": {} if codec == "snappy" else {"compression": codec, "parquet.block.size": "50000"}}
    return despina.Graph.from_dict({"format": 1, "name": "columns", "operators": operators,
                                    "links": [{"from": "rows", "to": codec} for codec in ENDINGS]})


def reading(folders: list[Path]) -> despina.Graph:
    """All the folders, each by a source."""
    sources = {f"from_{k}": {"type": "file_source", "path": str(folder), "format": "parquet", "schema": SCHEMA}
               for k, folder in enumerate(folders)}
    return despina.Graph.from_dict({"format": 1, "name": "rows", "operators": {**sources, "rows": {"type": "collect_sink"}},
                                    "links": [{"from": source, "to": "rows"} for source in sources]})


@by_py4j
def test_each_reads_the_columns_of_the_other(engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "engine", tmp_path / "spark"
    with writing(ours).run(engine=engine) as job:
        job.wait()
    run_on_spark(writing(theirs), spark)
    folders = sorted([*ours.iterdir(), *theirs.iterdir()])
    for folder in folders:
        names = [file.name for file in folder.glob("part-*")]
        assert names
        assert all(name.endswith(ENDINGS[folder.name]) for name in names)
    with reading(folders).run(engine=engine) as job:
        found = job.rows("rows").to_pylist()
    wanted = [row.asDict(recursive=True) for row in spark.read.parquet(str(theirs / "none")).collect()]
    first = sorted(found, key=lambda row: row["id"])[::len(folders)]
    assert [row["id"] for row in sorted(found, key=lambda row: row["id"])] == [k for k in range(ROWS) for _ in folders]
    for row, other in zip(first, sorted(wanted, key=lambda row: row["id"]), strict=True):
        assert {**row, "at": row["at"].timestamp()} == {**other, "at": other["at"].timestamp()}
    read = spark.read.schema(SCHEMA).parquet(*[str(folder) for folder in folders])
    assert (read.count(), read.distinct().count()) == (ROWS * len(folders), ROWS)
    assert spark.read.parquet(str(ours / "zstd")).schema == spark.read.parquet(str(theirs / "zstd")).schema
    for folder in ours.iterdir():
        tables = [pq.read_table(file, columns=["id", "price"]) for file in folder.glob("part-*")]
        assert sum(table.num_rows for table in tables) == ROWS


@by_py4j
def test_a_column_of_another_type_fails_with_its_file(engine: Engine, tmp_path: Path) -> None:
    with writing(tmp_path).run(engine=engine) as job:
        job.wait()
    graph = despina.Graph.from_dict({
        "format": 1, "name": "wrong", "operators": {
            "rows": {"type": "file_source", "path": str(tmp_path / "zstd"), "format": "parquet", "schema": "price STRING"},
            "out": {"type": "collect_sink"}},
        "links": [{"from": "rows", "to": "out"}]})
    with pytest.raises(despina.JobError, match=r"00001\.zstd\.parquet: column `price` is .* in the file, which is no string"), \
            graph.run(engine=engine) as job:
        job.wait()


UNFIT: list[tuple[Any, str, str]] = [
    (pa.array([4_000_000_000], pa.uint32()), "INT", "unsigned numbers of 32 bits, which an INT cannot hold; read it as BIGINT"),
    (pa.array([60_000], pa.uint16()), "SMALLINT", "unsigned numbers of 16 bits, which a SMALLINT cannot hold; read it as INT"),
    (pa.array([200], pa.uint8()), "TINYINT", "unsigned numbers of 8 bits, which a TINYINT cannot hold; read it as SMALLINT"),
    (pa.array([4_000_000_000], pa.uint32()), "DOUBLE", "unsigned numbers of 32 bits, which a DOUBLE cannot hold"),
    (pa.array([1 << 63], pa.uint64()), "DECIMAL(38, 0)", r"cannot hold; read it as DECIMAL\(20,0\)"),
    (pa.array([70_000], pa.int32()), "SMALLINT", "numbers of 32 bits, which a SMALLINT cannot hold; read it as INT"),
    (pa.array([1 << 40], pa.int64()), "INT", "numbers of 64 bits, which an INT cannot hold; read it as BIGINT"),
    (pa.array([[4_000_000_000]], pa.list_(pa.uint32())), "ARRAY<INT>", "unsigned numbers of 32 bits"),
    (pa.array([[1]], pa.list_(pa.int32())), "INT", "is a list in the file, and no INT"),
    (pa.array([{"x": 1}], pa.struct([("x", pa.int32())])), "STRING", "is a struct in the file, and no STRING"),
    (pa.array([1], pa.int32()), "ARRAY<INT>", "is one value in the file, and no ARRAY<INT>"),
    (pa.array([1.5], pa.float16()), "FLOAT", "numbers of 16 bits with a fraction, which cannot be read"),
]
"""Of a file, as which it is read, and what is said of it: nothing of it is cut off or takes another sign."""
FIT: list[tuple[Any, str]] = [
    (pa.array([4_000_000_000], pa.uint32()), "BIGINT"), (pa.array([60_000], pa.uint16()), "INT"),
    (pa.array([60_000], pa.uint16()), "BIGINT"), (pa.array([200], pa.uint8()), "SMALLINT"),
    (pa.array([1 << 63], pa.uint64()), "DECIMAL(20, 0)"), (pa.array([-70_000], pa.int32()), "BIGINT"),
    (pa.array([-7], pa.int8()), "SMALLINT"), (pa.array([70_000], pa.int32()), "DOUBLE"),
    (pa.array([[1, 2]], pa.list_(pa.int32())), "ARRAY<BIGINT>"),
]


def columns(folder: Path, found: list[tuple[Any, str]], *, coded: bool) -> despina.Graph:
    """A graph that reads a file of these columns as those types; ``coded``: by dictionaries."""
    names = [f"c{k}" for k in range(len(found))]
    pq.write_table(pa.table(dict(zip(names, [values for values, _ in found], strict=True))), folder / "in.parquet",
                   use_dictionary=coded)
    schema = ", ".join(f"{name} {kind}" for name, (_, kind) in zip(names, found, strict=True))
    return despina.Graph.from_dict({
        "format": 1, "name": "read", "operators": {
            "rows": {"type": "file_source", "path": str(folder / "in.parquet"), "format": "parquet", "schema": schema},
            "out": {"type": "collect_sink"}},
        "links": [{"from": "rows", "to": "out"}]})


@by_py4j
@pytest.mark.parametrize(("values", "kind", "words"), UNFIT, ids=lambda each: str(each)[:30])
def test_values_without_room_are_refused(engine: Engine, tmp_path: Path, values: Any, kind: str, words: str) -> None:
    for coded in (False, True):
        with pytest.raises(despina.JobError, match=rf"in\.parquet: column `c0` .*{words}"), \
                columns(tmp_path, [(values, kind)], coded=coded).run(engine=engine) as job:
            job.wait()


def test_values_without_room_are_refused_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    values, kind, words = UNFIT[0]
    with pytest.raises(Py4JJavaError, match=words):
        columns(tmp_path, [(values, kind)], coded=True).to_spark(spark)["out"].toArrow()


@by_py4j
@pytest.mark.parametrize("coded", [False, True], ids=["plain", "coded"])
def test_numbers_widen(engine: Engine, spark: SparkSession, tmp_path: Path, coded: bool) -> None:
    graph = columns(tmp_path, FIT, coded=coded)
    wanted = [{f"c{k}": values[0].as_py() for k, (values, _) in enumerate(FIT)}]
    with graph.run(engine=engine) as job:
        assert job.rows("out").to_pylist() == wanted
    assert graph.to_spark(spark)["out"].toArrow().to_pylist() == wanted


def test_what_parquet_cannot_hold_is_refused() -> None:
    sink = {"type": "file_sink", "path": "out", "format": "parquet"}
    for select, more, words in (
            ("NULL AS nothing", {}, "format parquet cannot hold column `nothing` of type VOID"),
            ("id", {"single_file": True}, "nothing can be added to a file of format parquet"),
            ("id", {"options": {"compression": "brotli"}}, "cannot be packed with `brotli`")):
        graph = despina.Graph.from_dict({
            "format": 1, "name": "refused", "operators": {
                "rows": {"type": "generator_source", "count": 1, "rows": {"type": "select", "select": [select]}},
                "out": {**sink, **more}},
            "links": [{"from": "rows", "to": "out"}]})
        with pytest.raises(GraphError, match=words):
            graph.check()


@by_py4j
def test_files_of_a_file_system_of_hadoop_are_written_as_spark_writes_them(engine: Engine, spark: SparkSession,
                                                                         tmp_path: Path) -> None:
    # a name of its own: the process keeps a file system by its name, with the mounts that it had first
    mounted = {"fs.viewfs.mounttable.written.link./data": tmp_path.as_uri()}
    formats = {"csv": {"header": "true", **mounted}, "json": mounted, "parquet": mounted}

    def graph(folder: str) -> despina.Graph:
        rows = {"type": "generator_source", "count": 20, "rows": {"type": "select", "select": ["id", "'w' || id AS word"]}}
        sinks = {name: {"type": "file_sink", "path": f"viewfs://written/data/{folder}/{name}", "format": name, "options": options}
                 for name, options in formats.items()}
        return despina.Graph.from_dict({"format": 1, "name": "there", "operators": {"rows": rows, **sinks},
                                        "links": [{"from": "rows", "to": name} for name in sinks]})

    with graph("engine").run(engine=engine) as job:
        job.wait()
    run_on_spark(graph("spark"), spark)
    for name in formats:
        reader = spark.read.schema("id BIGINT, word STRING").option("header", "true").format(name)
        ours, theirs = (sorted(reader.load(str(tmp_path / side / name)).collect()) for side in ("engine", "spark"))
        assert ours == theirs
        assert len(ours) == 20
    with graph("engine").run(engine=engine) as again, pytest.raises(despina.JobError, match="holds output of an earlier run"):
        again.wait()
