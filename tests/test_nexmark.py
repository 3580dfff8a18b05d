"""NEXMark's queries over seeded events: the engine and Spark give the rows that plain Python gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina.engine import Engine
from despina.testing.rows import differences
from peers.nexmark.oracle import QUERIES, Events, Row

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GRAPHS = Path(__file__).resolve().parents[1] / "graphs" / "nexmark"
KINDS = {"persons": 1, "auctions": 3, "bids": 46}
"""The folders, and how many of fifty events go to each."""
EVENTS = 5000
BY_THE_CLOCK = {"q12"}
"""Queries whose windows go by the wall clock, which Spark has not."""
SECONDS = 10
"""How long these windows are."""

by_py4j = pytest.mark.parametrize("engine", ["py4j"], indirect=True, scope="module")


def lines(folder: Path) -> Iterator[Row]:
    """The rows of a file sink."""
    for part in sorted(folder.glob("part-*")):
        yield from map(json.loads, part.read_text(encoding="utf-8").splitlines())


def timed(row: Row) -> Row:
    """A row with times in one form, whoever wrote it."""
    def one(value: Any) -> Any:
        if isinstance(value, str) and "T" in value:
            return datetime.fromisoformat(value).timestamp()
        return value.timestamp() if isinstance(value, datetime) else float(value) if isinstance(value, float) else value
    return {name: one(value) for name, value in row.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Path:
    """Seeded events."""
    path = tmp_path_factory.mktemp("nexmark")
    run(engine, "nexmark_events", {"events": str(EVENTS), "output": str(path)})
    return path


@pytest.fixture(scope="module")
def events(folder: Path) -> Events:
    """The same for the oracle."""
    return Events(*(sorted(lines(folder / kind), key=lambda row: int(row["number"])) for kind in KINDS))


def run(engine: Engine, name: str, parameters: dict[str, str]) -> None:
    """Runs a graph to its end."""
    with despina.load(GRAPHS / f"{name}.graph.json").run(engine=engine, parameters=parameters) as job:
        job.wait()


def total(rows: list[Row]) -> list[Row]:
    """The counts of windows by the wall clock, added up: they are the same in each run."""
    bids: dict[int, int] = {}
    for row in rows:
        since, until = (datetime.fromisoformat(row[name]).timestamp() for name in ("since", "until"))
        assert until - since == SECONDS
        assert since % SECONDS == 0
        bids[row["bidder"]] = bids.get(row["bidder"], 0) + row["bids"]
    return [{"bidder": bidder, "bids": n} for bidder, n in bids.items()]


def compare(query: str, events: Events, output: Path) -> None:
    """What a graph wrote against the oracle."""
    expected = [timed(row) for row in QUERIES[query](events)]
    assert expected
    rows = total(list(lines(output))) if query in BY_THE_CLOCK else [timed(row) for row in lines(output)]
    assert differences(rows, expected, ordered=False, aggregates=("mean", "price")) == []


def test_each_graph_has_an_oracle() -> None:
    assert {path.name.removesuffix(".graph.json") for path in GRAPHS.glob("*.graph.json")} == {*QUERIES, "nexmark_events"}


@by_py4j
def test_the_events_are_of_three_kinds(events: Events) -> None:
    assert {kind: len(getattr(events, kind)) for kind in KINDS} == {kind: EVENTS // 50 * n for kind, n in KINDS.items()}


@by_py4j
@pytest.mark.parametrize("query", QUERIES)
def test_engine(query: str, engine: Engine, folder: Path, events: Events, tmp_path: Path) -> None:
    run(engine, query, {"events": str(folder), "output": str(tmp_path / "out")})
    compare(query, events, tmp_path / "out")


@by_py4j
@pytest.mark.parametrize("query", [query for query in QUERIES if query not in BY_THE_CLOCK])
def test_spark(query: str, spark: SparkSession, folder: Path, events: Events, tmp_path: Path) -> None:
    graph = despina.load(GRAPHS / f"{query}.graph.json")
    graph.run(on=spark, parameters={"events": str(folder), "output": str(tmp_path / "out")}).wait()
    compare(query, events, tmp_path / "out")
