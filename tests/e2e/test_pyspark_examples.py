"""The scripts of ``examples/pyspark``, as their reader runs them, against rows that plain Python works out."""

from __future__ import annotations

import csv
import importlib.util
import math
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.manufacturing_oracle import manufacturing
from support.processes import END_S, SOURCE

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "pyspark"
SUBMIT = [str(Path(sys.executable).with_name("spark-submit")), "--master", "local[2]"]
Row = dict[str, Any]


def run(command: list[str], *arguments: str | Path, folder: Path) -> str:
    """What a script prints, in a shell whose virtual environment is active."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run([*command, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=4 * END_S,
                          check=False, env={**os.environ, "PATH": path, "PYTHONPATH": str(SOURCE), "SPARK_LOCAL_IP": "127.0.0.1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def parquet(folder: Path) -> list[Row]:
    """The rows of a table that Spark has written; times in microseconds."""
    import pyarrow
    from pyarrow import parquet as files
    table = files.read_table(folder)
    for index, field in enumerate(table.schema):
        if pyarrow.types.is_timestamp(field.type):
            table = table.set_column(index, field.name, table.column(index).cast(pyarrow.timestamp("us")).cast("int64"))
    return list(table.to_pylist())


def module() -> ModuleType:
    """What makes the examples' readings."""
    spec = importlib.util.spec_from_file_location("example_readings", EXAMPLES / "readings.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def micros(moment: datetime) -> int:
    return round(moment.astimezone(UTC).timestamp() * 1_000_000)


def of_files(folder: Path) -> Iterator[tuple[datetime, str, float]]:
    for file in folder.glob("*.csv"):
        with file.open(newline="") as lines:
            for line in csv.DictReader(lines):
                yield datetime.fromisoformat(line["ts"]), line["machine"], float(line["watts"])


def minutes(readings: Iterable[tuple[datetime, str, float]]) -> dict[tuple[int, str], tuple[float, float, bool]]:
    """Mean, swing and alarm of each minute and machine."""
    watts: dict[tuple[int, str], list[float]] = {}
    for at, machine, value in readings:
        watts.setdefault((micros(at.replace(second=0)), machine), []).append(value)
    found = {}
    for key, values in watts.items():
        mean, swing = sum(values) / len(values), max(values) - min(values)
        found[key] = (mean, swing, swing > 0.3 * mean)
    return found


def assert_same(rows: list[Row], expected: dict[tuple[int, str], tuple[float, float, bool]]) -> None:
    assert len(rows) == len(expected)
    for row in rows:
        mean, swing, alarm = expected[row["minute"], row["machine"]]
        assert math.isclose(row["mean"], mean, rel_tol=1e-9)
        assert math.isclose(row["swing"], swing, rel_tol=1e-9)
        assert row["alarm"] == alarm


@pytest.mark.parametrize("command", [[sys.executable], SUBMIT], ids=["python", "spark-submit"])
def test_backfill_and_the_live_graph_fill_one_table(tmp_path: Path, command: list[str]) -> None:
    printed = run(command, EXAMPLES / "backfill.py", "here", folder=tmp_path)
    expected = minutes([*of_files(tmp_path / "here" / "last_year"), *module().of_day(date(2026, 11, 3))])
    assert_same(parquet(tmp_path / "here" / "minutes"), expected)
    assert sum(alarm for _, _, alarm in expected.values()) == sum(
        int(line.split("|")[3]) for line in printed.splitlines() if line.startswith("|20"))


@pytest.mark.parametrize("command", [[sys.executable], SUBMIT], ids=["python", "spark-submit"])
def test_alarms_of_the_manufacturing_job_become_parquet(tmp_path: Path, command: list[str]) -> None:
    run(command, EXAMPLES / "manufacturing.py", "here", folder=tmp_path)
    expected = [row for row in manufacturing(tmp_path / "here" / "readings.txt") if row["alarm"]]
    found = sorted(parquet(tmp_path / "here" / "alarms"), key=lambda row: (row["pair"], row["ts"]))
    exact = ("ts", "pair", "edge", "delay_us", "n")
    assert [[row[name] for name in exact] for row in found] == [[row[name] for name in exact] for row in expected]
    assert len(found) > 10
    for row, wanted in zip(found, expected, strict=True):
        assert math.isclose(row["slope"], wanted["slope"], rel_tol=1e-6)


def test_a_model_scores_the_stream_as_the_book_will_have_it(tmp_path: Path) -> None:
    run([sys.executable], EXAMPLES / "model.py", "here", folder=tmp_path)
    scores = {(row["minute"], row["machine"], row["is_hot"]) for row in parquet(tmp_path / "here" / "scores")}
    assert scores == {(micros(at), machine, hot == 1) for at, machine, hot in module().book(date(2026, 11, 3))}
