"""Where file sinks may write: the engine and Spark refuse alike, before anything is worked out, and leave alike what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina.backends.spark import run as run_on_spark
from despina.backends.spark.outputs import local
from despina.engine import Engine
from despina.errors import JobError
from support.processes import until
from support.written import written_lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLD = ["part-00000-00001.json", "part-00003-1b2c.c000.json", "_SUCCESS", ".part-00000-00001.json.crc"]


def graph(path: Path | str, fails: bool = False, **sink: Any) -> despina.Graph:
    """Three rows into a file sink; ``fails`` where nothing may be worked out."""
    select = ["CAST(raise_error('worked out') AS BIGINT) AS id"] if fails else ["id"]
    return despina.Graph.from_dict({
        "format": 1, "name": "outputs",
        "operators": {
            "source": {"type": "generator_source", "count": 3, "rows": {"type": "select", "select": select}},
            "sink": {"type": "file_sink", "path": str(path), "format": "json", **sink},
        },
        "links": [{"from": "source", "to": "sink"}],
    })


def run_on_engine(written: despina.Graph, engine: Engine) -> None:
    with written.run(engine=engine) as job:
        job.wait()


def fill(folder: Path, names: list[str]) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text("old\n")
    return folder


def rows(folder: Path) -> list[str]:
    return sorted(written_lines(folder))


THREE = ['{"id":0}', '{"id":1}', '{"id":2}']


@pytest.mark.parametrize(("names", "path", "sink", "words"), [
    (["notes.md", *OLD], "", {"if_exists": "replace"}, "holds `notes.md`, which is not an output file; choose another folder"),
    (["notes.md"], "", {}, "holds `notes.md`, which is not an output file; choose another folder"),
    (OLD, "", {}, "holds output of an earlier run (`_SUCCESS`); choose another path to keep both, or say \"if_exists\": "
                  "\"replace\""),
    (["notes.md"], "notes.md", {}, "cannot make the folder"),
    (["notes.md"], "notes.md", {"single_file": True}, "exists; choose another path to keep both, or say"),
    ([], "", {"single_file": True, "if_exists": "replace"}, "is a folder, and single_file needs a file"),
])
def test_both_refuse_in_the_same_words(engine: Engine, spark: SparkSession, tmp_path: Path, names: list[str], path: str,
                                       sink: dict[str, Any], words: str) -> None:
    folder = fill(tmp_path / "out", names)
    with pytest.raises(JobError) as on_engine:
        run_on_engine(graph(folder / path, **sink), engine)
    assert sorted(file.name for file in folder.iterdir()) == sorted(names)
    with pytest.raises(JobError) as on_spark:
        run_on_spark(graph(folder / path, fails=True, **sink), spark)
    assert words in on_engine.value.message
    assert on_spark.value.message == on_engine.value.message.replace(", instance 0", "")
    assert sorted(file.name for file in folder.iterdir()) == sorted(names)


@pytest.mark.parametrize("on", ["engine", "spark"])
def test_replacing_removes_output_and_nothing_else(on: str, engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    folder = fill(tmp_path / "out", [*OLD, ".hidden"])
    written = graph(folder, if_exists="replace")
    if on == "engine":
        run_on_engine(written, engine)
    else:
        run_on_spark(written, spark)
    assert rows(folder) == THREE
    assert (folder / "_SUCCESS").read_text() == ""
    assert (folder / ".hidden").read_text() == "old\n"


SPELLINGS: dict[str, Callable[[Path], str]] = {
    "path": str, "file:///": Path.as_uri, "file:/": lambda path: f"file:{path}", "file:////": lambda path: f"file:///{path}",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_empty_folder_is_written_to(engine: Engine, spark: SparkSession, tmp_path: Path, spelling: str) -> None:
    for name in ("engine", "spark out"):
        (tmp_path / name).mkdir()
    run_on_engine(graph(tmp_path / "engine"), engine)
    run_on_spark(graph(SPELLINGS[spelling](tmp_path / "spark out")), spark)
    assert rows(tmp_path / "engine") == rows(tmp_path / "spark out") == THREE


def copying(source: str, sink: Path) -> despina.Graph:
    """Lines of a file into a file sink."""
    return despina.Graph.from_dict({
        "format": 1, "name": "copying",
        "operators": {"source": {"type": "file_source", "path": source, "format": "text"},
                      "sink": {"type": "file_sink", "path": str(sink), "format": "text"}},
        "links": [{"from": "source", "to": "sink"}],
    })


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_file_is_read_by_its_spellings(engine: Engine, spark: SparkSession, tmp_path: Path, spelling: str) -> None:
    lines = tmp_path / "some lines.txt"
    lines.write_text("one\ntwo\n")
    run_on_engine(copying(SPELLINGS[spelling](lines), tmp_path / "engine"), engine)
    run_on_spark(copying(SPELLINGS[spelling](lines), tmp_path / "spark"), spark)
    assert rows(tmp_path / "engine") == rows(tmp_path / "spark") == ["one", "two"]


@pytest.mark.parametrize(("path", "here"), [
    ("out", "out"), ("/tmp/a b", "/tmp/a b"), ("c:/out", "c:/out"), ("file:/tmp/a b", "/tmp/a b"),
    ("file:/tmp/a#b", "/tmp/a#b"), ("hdfs:/out", None), ("s3a://bucket/out", None),
])
def test_what_is_of_this_machine_is_seen_by_its_scheme(path: str, here: str | None) -> None:
    assert local(path) == (None if here is None else Path(here))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_folder_of_any_spelling_is_not_written_to_twice(spark: SparkSession, tmp_path: Path, spelling: str) -> None:
    path = SPELLINGS[spelling](fill(tmp_path / "out", OLD))
    with pytest.raises(JobError, match="holds output of an earlier run"):
        run_on_spark(graph(path, fails=True), spark)
    run_on_spark(graph(path, if_exists="replace"), spark)
    assert rows(tmp_path / "out") == THREE


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_one_file_of_any_spelling_is_written(spark: SparkSession, tmp_path: Path, spelling: str) -> None:
    (tmp_path / "out").mkdir()
    run_on_spark(graph(SPELLINGS[spelling](tmp_path / "out" / "rows.json"), single_file=True), spark)
    assert (tmp_path / "out" / "rows.json").read_text().splitlines() == THREE


def test_one_file_is_replaced_and_nothing_is_left_beside_it(spark: SparkSession, tmp_path: Path) -> None:
    fill(tmp_path / "out", ["rows.json", "notes.md"])
    run_on_spark(graph(tmp_path / "out" / "rows.json", single_file=True, if_exists="replace"), spark)
    assert (tmp_path / "out" / "rows.json").read_text().splitlines() == THREE
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["notes.md", "rows.json"]


@pytest.mark.parametrize("single", [False, True])
def test_what_a_living_job_writes_spark_leaves_alone(engine: Engine, spark: SparkSession, tmp_path: Path, single: bool) -> None:
    path = tmp_path / "out" / "rows.json" if single else tmp_path / "out"
    endless = despina.Graph.from_dict({
        "format": 1, "name": "endless",
        "operators": {
            "source": {"type": "generator_source", "rate_per_s": 100, "rows": {"type": "select", "select": ["id"]}},
            "sink": {"type": "file_sink", "path": str(path), "format": "json", "single_file": single},
        },
        "links": [{"from": "source", "to": "sink"}],
    })
    with endless.run(engine=engine) as job:
        until(lambda: job.counters.operators["sink"]["packets_in"] > 0, "the first packet")
        held = sorted(file.name for file in (tmp_path / "out").iterdir())
        with pytest.raises(JobError, match="is being written by another job or sink, which holds"):
            run_on_spark(graph(path, fails=True, single_file=single, if_exists="replace"), spark)
        assert sorted(file.name for file in (tmp_path / "out").iterdir()) == held
        job.stop("drain")
        job.wait()
    run_on_spark(graph(path, single_file=single, if_exists="replace"), spark)


def test_one_file_on_another_file_system_is_refused(spark: SparkSession) -> None:
    with pytest.raises(JobError, match="is on another file system; single_file writes only on this machine"):
        run_on_spark(graph("hdfs://nowhere/rows.json", fails=True, single_file=True), spark)
