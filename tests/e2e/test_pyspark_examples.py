"""The scripts of ``examples/pyspark``, as their reader runs them, against rows that plain Python works out."""

from __future__ import annotations

import csv
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.manufacturing_oracle import manufacturing
from support.processes import END_S, SOURCE

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "pyspark"
SETTINGS = ("spark.ui.enabled=false", "spark.log.level=ERROR", "spark.sql.shuffle.partitions=2",
            "spark.sql.adaptive.enabled=false", "spark.sql.codegen.wholeStage=false",
            "spark.sql.codegen.factoryMode=NO_CODEGEN")
"""For small data; those of a site's own file would keep Java from its class archive."""
CONF = [word for setting in SETTINGS for word in ("--conf", setting)]
SUBMIT = (str(Path(sys.executable).with_name("spark-submit")), "--master", "local[2]", *CONF)
SUBMITTED = "backfill.py"
OTHERS = ("manufacturing.py", "model.py", "notebook.ipynb")
ONE_AFTER_THE_OTHER = """
import json, runpy, sys
from pathlib import Path

def cells(notebook):
    names = {"__name__": "__main__"}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    found = {"engine": names["rows"].to_pylist(), "spark": names["on_spark"].toArrow().to_pylist()}
    Path("rows.json").write_text(json.dumps(found, default=str))

examples, *scripts = map(Path, sys.argv[1:])
for script in scripts:
    sys.argv = [str(examples / script), script.stem]
    if script.suffix == ".py":
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        cells(examples / script)
"""
"""Runs scripts, each with a session and a folder of its own: what the JVM has loaded for one serves the next."""
Row = dict[str, Any]
Ran = Callable[[str], tuple[Path, str]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """The folder of a script that has run, and what its process has printed. One is submitted, the others run beside it: half of
    their time is waiting.
    """
    site = tmp_path_factory.mktemp("site")
    examples = shutil.copytree(EXAMPLES, site / "examples")     # apart from the clone: a reader has an installation alone
    submitted, others = tmp_path_factory.mktemp("submitted"), tmp_path_factory.mktemp("others")
    commands: dict[Path, list[str | Path]] = {
        submitted: [*SUBMIT, examples / SUBMITTED, "backfill"],
        others: [sys.executable, "-c", ONE_AFTER_THE_OTHER, examples, *OTHERS]}
    with ThreadPoolExecutor(2) as pool:
        running = {folder: pool.submit(run, command, folder, examples) for folder, command in commands.items()}

        def found(script: str) -> tuple[Path, str]:
            folder = submitted if script == SUBMITTED else others
            return folder / Path(script).stem, running[folder].result()

        yield found


def run(command: Sequence[str | Path], folder: Path, examples: Path) -> str:
    """What a command prints, in a shell whose virtual environment is active."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    sources = os.pathsep.join([str(SOURCE), str(examples)])     # a notebook's folder is on its path
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, timeout=4 * END_S,
                          check=False, env={**os.environ, "PATH": path, "PYTHONPATH": sources, "SPARK_LOCAL_IP": "127.0.0.1",
                                            "PYSPARK_SUBMIT_ARGS": " ".join([*CONF, "pyspark-shell"])})
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


def test_backfill_and_the_live_graph_fill_one_table(ran: Ran) -> None:
    folder, printed = ran("backfill.py")
    expected = minutes([*of_files(folder / "last_year"), *module().of_day(date(2026, 11, 3))])
    assert_same(parquet(folder / "minutes"), expected)
    assert sum(alarm for _, _, alarm in expected.values()) == sum(
        int(line.split("|")[3]) for line in printed.splitlines() if line.startswith("|20"))


def test_alarms_of_the_manufacturing_job_become_parquet(ran: Ran) -> None:
    folder, _ = ran("manufacturing.py")
    expected = [row for row in manufacturing(folder / "readings.txt") if row["alarm"]]
    found = sorted(parquet(folder / "alarms"), key=lambda row: (row["pair"], row["ts"]))
    exact = ("ts", "pair", "edge", "delay_us", "n")
    assert [[row[name] for name in exact] for row in found] == [[row[name] for name in exact] for row in expected]
    assert len(found) > 10
    for row, wanted in zip(found, expected, strict=True):
        assert math.isclose(row["slope"], wanted["slope"], rel_tol=1e-6)


def test_a_model_scores_the_stream_as_the_book_will_have_it(ran: Ran) -> None:
    folder, _ = ran("model.py")
    scores = {(row["minute"], row["machine"], row["is_hot"]) for row in parquet(folder / "scores")}
    assert scores == {(micros(at), machine, hot == 1) for at, machine, hot in module().book(date(2026, 11, 3))}


def test_the_cells_of_the_notebook_run(ran: Ran) -> None:
    folder, _ = ran("notebook.ipynb")
    found = json.loads((folder.parent / "rows.json").read_text())
    expected = minutes(module().of_day(date(2026, 11, 3)))
    for place in ("engine", "spark"):
        rows = [row | {"minute": micros(datetime.fromisoformat(row["minute"]))} for row in found[place]]
        assert_same(rows, {key: value for key, value in expected.items() if value[2]})
