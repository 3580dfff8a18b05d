"""The manufacturing job: real rows, seeded rows against the oracle, and the same rows on two resources and on Spark."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina.engine import Engine
from despina.testing.rows import differences
from support.cases import Row
from support.every import by_either
from support.manufacturing_oracle import manufacturing, micros
from support.written import written_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
GRAPHS = ROOT / "graphs"
DATA = Path(os.environ.get("DESPINA_DATA", ROOT.parent / "shared" / "data"))
READINGS = 40_000
LINE = ("slope", "trend_now")
"""The columns whose doubles come out of an aggregate."""


def delays(folder: Path) -> list[Row]:
    """The rows of the sink ``delays``, ``ts`` in microseconds as the oracle has it."""
    rows = written_rows(folder)
    return [{**row, "ts": micros(row["ts"])} for row in rows]


def run(engine: Engine, name: str, **options: Any) -> dict[str, Any]:
    """Runs a graph of the folder ``graphs`` to its end and gives the report."""
    with despina.load(GRAPHS / f"{name}.graph.json").run(engine=engine, **options) as job:
        job.wait()
        return dict(job.report())


@pytest.fixture(scope="module")
def readings(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seeded readings in the 56-column format."""
    path = tmp_path_factory.mktemp("readings") / "readings.txt"
    run(engine, "manufacturing_input", parameters={"rows": READINGS, "output": str(path)})
    return path


@by_either
@pytest.mark.parametrize("deployment", [None, GRAPHS / "two_resources.deploy.json"], ids=["one", "two_resources"])
def test_seeded_readings_give_the_oracles_rows(
    engine: Engine, readings: Path, tmp_path: Path, deployment: Path | None
) -> None:
    expected = manufacturing(readings)
    parameters = {"input": str(readings), "output": str(tmp_path / "delays")}
    report = run(engine, "manufacturing", parameters=parameters, deployment=deployment)
    assert len(expected) > READINGS // 400 * 2
    assert any(row["alarm"] for row in expected)
    assert differences(delays(tmp_path / "delays"), expected, ordered=False, aggregates=LINE) == []
    assert report["operators"]["readings"]["packets_out"] == READINGS
    assert report["operators"]["delays"]["packets_in"] == len(expected)


@by_either
def test_seeded_readings_give_the_oracles_rows_on_spark(spark: SparkSession, readings: Path, tmp_path: Path) -> None:
    from despina.backends.spark import run as run_on_spark

    graph = despina.load(GRAPHS / "manufacturing.graph.json")
    run_on_spark(graph, spark, despina.RunOptions({"input": str(readings), "output": str(tmp_path / "delays")}))
    assert differences(delays(tmp_path / "delays"), manufacturing(readings), ordered=False, aggregates=LINE) == []


@pytest.fixture(scope="module")
def debs() -> Path:
    """The real rows."""
    path = DATA / "debs2012" / "DEBS2012-small.txt"
    if not path.exists():
        pytest.skip(f"no real data at {path}; DESPINA_DATA names the folder")
    return path


FACTS = {
    "all": ("true", 17_000),
    "mf01_high": ("mf01 > 14963", 118),
    "mf03_low": ("mf03 < 8105", 11_029),
    "one_second": ("ts >= TIMESTAMP '2012-02-22T16:46:29Z' AND ts < TIMESTAMP '2012-02-22T16:46:30Z'", 100),
}


def facts(path: Path) -> despina.Graph:
    """A graph that counts and averages what the data's description says of it."""
    source = json.loads((GRAPHS / "manufacturing.graph.json").read_text())["operators"]["readings"]
    operators: dict[str, Any] = {"readings": {**source, "path": str(path)}}
    links = []
    for name, (where, _) in FACTS.items():
        operators[name] = {"type": "filter", "where": where}
        select = ["count(*) AS n", "min(mf01) AS least", "max(mf01) AS most", "avg(mf01) AS mean"]
        operators[f"{name}_sums"] = {"type": "aggregate", "select": select}
        operators[f"{name}_rows"] = {"type": "collect_sink"}
        links += [{"from": "readings", "to": name}, {"from": name, "to": f"{name}_sums"}]
        links += [{"from": f"{name}_sums", "to": f"{name}_rows"}]
    return despina.Graph.from_dict({"format": 1, "name": "facts", "operators": operators, "links": links})


def check_facts(rows: dict[str, list[Row]]) -> None:
    """Compares with the description of the data."""
    assert {name: rows[f"{name}_rows"][0]["n"] for name in FACTS} == {name: n for name, (_, n) in FACTS.items()}
    whole, second = rows["all_rows"][0], rows["one_second_rows"][0]
    assert (whole["least"], whole["most"], round(whole["mean"], 6)) == (12_466, 18_224, 13_053.381588)
    assert (second["least"], second["most"], second["mean"]) == (13_043, 13_063, pytest.approx(13_051.1))


def test_real_rows_on_the_engine(engine: Engine, debs: Path) -> None:
    sinks = [f"{name}_rows" for name in FACTS]
    with facts(debs).run(engine=engine) as job:
        rows = {sink: job.rows(sink) for sink in sinks}
        job.wait()
    check_facts({sink: table.to_pylist() for sink, table in rows.items()})


def test_real_rows_on_spark(spark: SparkSession, debs: Path) -> None:
    check_facts({sink: frame.toArrow().to_pylist() for sink, frame in facts(debs).to_spark(spark).items()})


def test_real_rows_have_no_event(engine: Engine, debs: Path, tmp_path: Path) -> None:
    report = run(engine, "manufacturing", parameters={"input": str(debs), "output": str(tmp_path / "delays")})
    assert report["operators"]["readings"]["packets_out"] == 17_000
    assert delays(tmp_path / "delays") == []
    assert manufacturing(debs) == []
