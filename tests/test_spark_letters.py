"""Bad records of Python's functions on Spark: by port `errors`, beside the rows, from one call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import despina
from despina.backends import spark as backend
from despina.options import RunOptions
from support.cases import FOLDER, Case
from support.contract import check
from support.graphs import Fields, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 60
TOLD = """
from pathlib import Path


class Told:
    def open(self, context):
        self.file = (Path(__file__).with_name("calls")).open("a")

    def process(self, id):
        self.file.write(f"{id}\\n")
        self.file.flush()
        if id % 10 == 9:
            raise ValueError("\\ud800")
        return id, 2 * id
"""


@pytest.mark.parametrize("name", ["python/letters_by_key", "python/letters_in_a_row", "python/letters_of_types",
                                  "python_source/dead_letters"])
def test_they_are_those_of_the_engine(name: str, spark: SparkSession) -> None:
    case = Case(FOLDER / name)
    frames = despina.load(case.graph).to_spark(spark, {"folder": str(case.folder)})
    check(case, {sink: frames[sink].toArrow().to_pylist() for sink in case.expected()})


def graph() -> Fields:
    return {"format": 1, "name": "told", "operators": {
        "source": rows(ROWS, "id"), "tried": {"type": "python", "function": "spark_told:Told", "schema": "id BIGINT, v BIGINT",
                                              "on_error": {"type": "dead_letter"}},
        "good": {"type": "discard_sink"}, "bad": {"type": "collect_sink"}},
        "links": [{"from": "source", "to": "tried"}, {"from": "tried", "to": "good"}, {"from": "tried.errors", "to": "bad"}]}


def test_a_function_is_called_once_for_both_ports(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "spark_told.py").write_text(TOLD)
    content = graph()
    content["operators"]["bad"] = {"type": "discard_sink"}
    report = backend.run(despina.Graph.from_dict(content), spark, RunOptions(modules=[tmp_path]))
    assert {sink: report["operators"][sink]["packets_in"] for sink in ("good", "bad")} == {"good": 54, "bad": 6}
    calls = (tmp_path / "calls").read_text().split()
    assert sorted(map(int, calls)) == list(range(ROWS))


def test_a_function_is_called_once_where_both_ports_come_together(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "spark_told.py").write_text(TOLD)
    content = graph()
    content["operators"] |= {"values": {"type": "project", "select": ["CAST(v AS STRING) AS word"]},
                             "records": {"type": "project", "select": ["record AS word"]}, "all": {"type": "union"},
                             "kept": {"type": "discard_sink"}}
    del content["operators"]["good"], content["operators"]["bad"]
    content["links"] = [{"from": start, "to": end} for start, end in
                        [("source", "tried"), ("tried", "values"), ("tried.errors", "records"), ("values", "all"),
                         ("records", "all"), ("all", "kept")]]
    report = backend.run(despina.Graph.from_dict(content), spark, RunOptions(modules=[tmp_path]))
    assert report["operators"]["kept"]["packets_in"] == ROWS
    assert sorted(map(int, (tmp_path / "calls").read_text().split())) == list(range(ROWS))


def test_reasons_are_those_of_the_engine(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "spark_told.py").write_text(TOLD)
    content = despina.Graph.from_dict(graph())
    found = content.to_spark(spark, modules=[tmp_path])["bad"].toArrow().to_pylist()
    with content.run(modules=[tmp_path]) as job:
        assert job.rows("bad").to_pylist() == found
    assert found[0] == {"reason": "ValueError: ? (spark_told.py:13 in process)", "operator": "tried", "record": '{"id": 9}'}
