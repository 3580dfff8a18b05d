"""Sources and sinks in Python on Spark: what is written when, which tasks open what, and what is left of one that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from despina.backends import spark as backend
from despina.backends.spark.form import Form
from despina.errors import JobError
from despina.graph import Graph
from despina.options import RunOptions
from support.graphs import Fields, chain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENDS = """
import json
from pathlib import Path


def numbers(context):
    for k in range(int(context.options["count"])):
        yield 1_000 * context.instance + k, context.instance


class Table:
    \"\"\"A file for each instance that has written, hidden until it is committed; and one that tells what was called.\"\"\"

    def open(self, context):
        self.folder = Path(context.options["folder"])
        self.name = f"{context.instance} of {context.instances}"
        self.bad = context.options.get("bad")
        self.ids = []
        self._told("open")

    def write(self, id):
        if str(id) == self.bad:
            raise ValueError("the table does not take it")
        self.ids.append(id)

    def prepare(self, epoch):
        self._told(f"prepare {epoch}")
        (self.folder / f"{self.name}.hidden").write_text(json.dumps(self.ids))

    def commit(self, epoch):
        self._told(f"commit {epoch}")
        (self.folder / f"{self.name}.hidden").rename(self.folder / f"{self.name}.json")

    def abort(self, epoch):
        self._told(f"abort {epoch}")
        (self.folder / f"{self.name}.hidden").unlink(missing_ok=True)

    def close(self):
        self._told("close")

    def _told(self, what):
        with (self.folder / f"{self.name}.log").open("a") as log:
            log.write(what + "\\n")
"""
WRITTEN = ["open", "abort 0", "prepare 1", "close", "open", "commit 1", "close"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spark_ends.py").write_text(ENDS)
    (tmp_path / "table").mkdir()
    return tmp_path


def graph(folder: Path, count: int, instances: int, sinks: int = 1, **options: str) -> Fields:
    source = {"type": "python_source", "function": "spark_ends:numbers", "schema": "id BIGINT, instance INT",
              "options": {"count": str(count)}, "parallelism": instances}
    table = {"type": "python_sink", "function": "spark_ends:Table", "parallelism": sinks,
             "options": {"folder": str(folder / "table"), **options}}
    return chain(("source", source), ("table", table))


def run(content: Fields, spark: SparkSession, folder: Path) -> dict[str, Any]:
    return backend.run(Graph.from_dict(content), spark, RunOptions(modules=[folder]))


def told(folder: Path, name: str) -> list[str]:
    return (folder / "table" / f"{name}.log").read_text().splitlines()


def test_each_instance_has_a_task_and_commits_what_it_has_prepared(spark: SparkSession, folder: Path) -> None:
    report = run(graph(folder, 5, 2, 2), spark, folder)
    assert report["operators"]["table"]["packets_in"] == 10
    names = ["0 of 2", "1 of 2"]
    assert [json.loads((folder / "table" / f"{name}.json").read_text()) for name in names] == [
        [0, 1, 2, 3, 4], [1000, 1001, 1002, 1003, 1004]]
    assert [told(folder, name) for name in names] == [WRITTEN, WRITTEN]


def test_one_instance_takes_all_partitions_in_their_order(spark: SparkSession, folder: Path) -> None:
    run(graph(folder, 3, 3), spark, folder)
    assert json.loads((folder / "table" / "0 of 1.json").read_text()) == [0, 1, 2, 1000, 1001, 1002, 2000, 2001, 2002]


def test_a_sink_without_rows_is_opened_and_committed(spark: SparkSession, folder: Path) -> None:
    """Also where Spark knows beforehand that there are none, and has no task for them."""
    content = graph(folder, 3, 1)
    content["operators"]["source"] = {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 0}
    assert run(content, spark, folder)["operators"]["table"]["packets_in"] == 0
    assert told(folder, "0 of 1") == WRITTEN
    assert json.loads((folder / "table" / "0 of 1.json").read_text()) == []


def test_a_row_that_cannot_be_written_leaves_nothing_behind(spark: SparkSession, folder: Path) -> None:
    with pytest.raises(JobError, match=r"operator table.*ValueError: the table does not take it"):
        run(graph(folder, 3, 2, 2, bad="1001"), spark, folder)
    assert not list((folder / "table").glob("*.hidden"))
    assert not list((folder / "table").glob("*.json"))
    assert told(folder, "1 of 2")[-3:] == ["open", "abort 0", "close"]


def test_frames_that_are_read_twice_are_made_twice(spark: SparkSession, folder: Path) -> None:
    content = graph(folder, 4, 2)
    content["operators"]["table"] = {"type": "collect_sink"}
    frame = Graph.from_dict(content).to_spark(spark, modules=[folder])["table"]
    expected = [(1000 * instance + k, instance) for instance in range(2) for k in range(4)]
    assert [sorted(tuple(row) for row in frame.collect()) for _ in range(2)] == [expected, expected]


def test_what_spark_sends_to_its_tasks_has_no_modules(spark: SparkSession, folder: Path) -> None:
    _, made = backend.planned(Graph.from_dict(graph(folder, 1, 1)), spark, RunOptions(modules=[folder]), {}, Form.BATCH)
    assert sorted(json.loads(made.graph.options)["python"]) == ["cells", "command", "functions", "modules"]
