"""On Spark every row is worked out once, however many sinks read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina.backends.spark import run
from despina.backends.spark.folds import GraphText
from despina.backends.spark.plan import Operator, Port
from despina.backends.spark.sinks import write
from despina.errors import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 200


def run_to_files(spark: SparkSession, folder: Path, between: dict[str, Any], links: list[tuple[str, str]]) -> list[Any]:
    """Runs generated rows through the operators into the sinks ``a`` and ``b``; gives the rows of each."""
    rows = {"type": "select", "select": ["id", "current_timestamp() AS at"]}
    source = {"type": "generator_source", "count": ROWS, "rows": rows}
    files = {name: {"type": "file_sink", "path": str(folder / name), "format": "json", "single_file": True} for name in "ab"}
    graph = despina.Graph.from_dict({"format": 1, "name": "shared", "operators": {"source": source, **between, **files},
                                     "links": [{"from": start, "to": end} for start, end in links]})
    run(graph, spark)
    return [[json.loads(line) for line in (folder / name).read_text().splitlines()] for name in "ab"]


def cached(spark: SparkSession) -> int:
    """How many frames Spark keeps."""
    return int(spark._jsparkSession.sharedState().cacheManager().numCachedEntries())


def test_several_sinks_get_the_same_rows(spark: SparkSession, tmp_path: Path) -> None:
    a, b = run_to_files(spark, tmp_path, {"same": {"type": "relay"}}, [("source", "same"), ("same", "a"), ("source", "b")])
    assert a == b
    assert len(a) == ROWS
    assert cached(spark) == 0


@pytest.mark.parametrize("where", ["rand() < 0.5", "pmod(unix_micros(current_timestamp()), 1000) < 500 OR rand() < 0.5"])
def test_a_filter_gives_each_row_to_one_of_its_ports(spark: SparkSession, tmp_path: Path, where: str) -> None:
    a, b = run_to_files(spark, tmp_path, {"some": {"type": "filter", "where": where}},
                        [("source", "some"), ("some", "a"), ("some.rejected", "b")])
    assert sorted(row["id"] for row in a + b) == list(range(ROWS))
    assert cached(spark) == 0


class Frame:
    """Notes what is asked of it."""

    dtypes: tuple[tuple[str, str], ...] = (("id", "bigint"),)

    def __init__(self) -> None:
        self.is_cached = False
        self.asked: list[tuple[str, bool]] = []

    def persist(self) -> None:
        self.is_cached = True

    def unpersist(self) -> None:
        self.is_cached = False

    def show(self, *_: Any, **__: Any) -> None:
        self.asked.append(("show", self.is_cached))

    def count(self) -> int:
        self.asked.append(("count", self.is_cached))
        return 7


def test_a_console_sink_shows_and_counts_the_same_rows() -> None:
    frame = Frame()
    console = Operator("shown", "console_sink", Place(), "fail", {}, {"in": Port("in", "id BIGINT", True, None)}, {})
    assert write(console, frame, GraphText("", "", "", 0, 1), [console]) == 7
    assert frame.asked == [("show", True), ("count", True)]
    assert not frame.is_cached


def test_a_frame_that_is_kept_stays_so() -> None:
    frame = Frame()
    frame.persist()
    console = Operator("shown", "console_sink", Place(), "fail", {}, {"in": Port("in", "id BIGINT", True, None)}, {})
    write(console, frame, GraphText("", "", "", 0, 1), [console])
    assert frame.is_cached
