"""Each graph of graphs/cookbook runs with its data, on the engine and on Spark, and gives the rows of its ``expected.json``."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import despina
from despina import Graph, cli
from despina import engine as engines
from despina.engine import Engine
from despina.options import RunOptions
from despina.testing.rows import differences
from support.cases import Row, Rows
from support.cookbook import COOKBOOK, fitted, missing, served
from support.every import EVERY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INDEX = (COOKBOOK / "README.md").read_text(encoding="utf-8")
NAMES = sorted(folder.name for folder in COOKBOOK.iterdir() if folder.is_dir())
LISTENING = ("bayeux", "bike_stations", "lines_to_web", "posts", "posts_to_files", "telegraf_in")
"""Graphs whose rows come over a socket. With ``follow``, they have no end; tests/e2e/test_cookbook.py runs their commands."""
NOT_ON_SPARK = {"follow": "`follow` and `repeat` are the engine's", "python_rows": None,
                **dict.fromkeys(LISTENING, "its rows come over sockets while the job runs"),
                "bayeux": "a batch has an end, and this source says that it has none"}
"""What Spark says of a graph; None for one that is of use with its program only."""
ENDING = [name for name in NAMES if name not in LISTENING]
TYPED = ENDING if EVERY else [name for k, name in enumerate(ENDING) if k % 3 == 0 or name == "follow"]
"""Graphs whose rows are compared by their types. The commands of the index print the rows of all but ``follow``."""

AGGREGATES = ("mean", "spread")
"""Columns of doubles that come out of an aggregate."""

by_py4j = pytest.mark.parametrize("engine", ["py4j"], indirect=True)


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A graph's name; its folder is where we are, with all that it needs."""
    if (needed := missing(request.param)) is not None:
        pytest.skip(f"pip install {needed}: its functions import it")
    monkeypatch.chdir(fitted(request.param, tmp_path))
    return str(request.param)


@by_py4j
@pytest.mark.parametrize("name", NAMES)
def test_it_passes_check_without_a_warning(name: str, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """No package and no model is needed for that: nothing is imported."""
    monkeypatch.chdir(COOKBOOK / name)
    assert despina.load(f"{name}.graph.json").check(engine=engine).diagnostics == ()


@by_py4j
@pytest.mark.parametrize("name", TYPED, indirect=True)
def test_engine(name: str, engine: Engine) -> None:
    with served(name) as parameters, collecting(name).run(engine=engine, parameters=parameters) as job:
        if name == "follow":
            found = {"kept": first_rows(job, len(expected(name)["kept"]))}
        else:
            found = {sink: job.rows(sink).to_pylist() for sink in expected(name)}
    compare(name, found)


@pytest.mark.parametrize("name", NAMES if EVERY else NAMES[::2], indirect=True)
def test_spark(name: str, spark: SparkSession) -> None:
    refused = NOT_ON_SPARK.get(name, "")
    if refused is None:
        pytest.skip("its rows come from a program")
    if refused:
        with pytest.raises(despina.GraphError, match=refused):
            collecting(name, for_spark=True).to_spark(spark)
        return
    with served(name) as parameters:
        frames = collecting(name, for_spark=True).to_spark(spark, parameters)
        compare(name, {sink: frames[sink].toArrow().to_pylist() for sink in expected(name)})


def test_a_table_of_sqlite_shows_each_row_once(tmp_path: Path) -> None:
    """As the engine calls the sink of ``port_to_table``: its process ends with two epochs prepared, one of them complete."""
    file = shutil.copy(COOKBOOK / "port_to_table" / "table.py", tmp_path)

    def opened(instance: int) -> Any:
        table = runpy.run_path(str(file))["Table"]()
        table.open(SimpleNamespace(options={"path": "plant.db"}, instance=instance))
        return table

    def shown() -> list[tuple[str, float]]:
        with closing(sqlite3.connect(tmp_path / "plant.db")) as database:
            return database.execute("SELECT * FROM hot").fetchall()

    def written(table: Any, epoch: int, celsius: float) -> None:
        table.write(pa.RecordBatch.from_pydict({"machine": ["boiler"], "celsius": [celsius]}))
        table.prepare(epoch)

    first, other = opened(0), opened(1)
    written(first, 1, 81.0)
    written(other, 1, 91.0)
    assert shown() == []
    first.commit(1)
    first.commit(1)
    assert shown() == [("boiler", 81.0)]
    written(first, 2, 82.0)
    written(first, 3, 83.0)
    first.close()
    again = opened(0)
    again.abort(2)
    again.commit(2)
    written(again, 3, 83.0)
    again.commit(3)
    other.commit(1)
    assert shown() == [("boiler", 81.0), ("boiler", 82.0), ("boiler", 83.0), ("boiler", 91.0)]
    again.close()
    other.close()


def test_the_index_tells_of_each() -> None:
    assert sorted(re.findall(r"^### (\w+)$", INDEX, re.MULTILINE)) == NAMES
    assert sorted(set(re.findall(r"\(#(\w+)\)", INDEX))) == NAMES


@by_py4j
def test_the_commands_of_the_index_print_what_it_shows(
        name: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    if name in ("follow", *LISTENING):
        pytest.skip("its job has no end")
    monkeypatch.setattr(engines, "start", lambda driver="py4j", **options: engine)
    monkeypatch.setattr(engines, "stop", lambda: False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with served(name) as parameters:
        printed = list(printed_by(told(name)[0], engine, parameters, monkeypatch, capsys))
    assert printed == told(name)[1]


def printed_by(commands: list[str], engine: Engine, parameters: dict[str, str], monkeypatch: pytest.MonkeyPatch,
               capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """What each command prints that prints something. ``parameters``: where a server that they start is found."""
    given = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
    for command in commands:
        match command.split():
            case ["cd", folder]:
                monkeypatch.chdir(folder)
            case ["cat", pattern]:
                print(*(file.read_text(encoding="utf-8") for file in sorted(Path().glob(pattern))), sep="", end="")
            case ["python", "serve.py", _, "&"]:
                assert parameters
            case ["python", program]:
                runpy.run_path(program, run_name="__main__")
            case ["despina", "run", graph, "--deployment", _]:      # tests of processes are in e2e
                assert cli.invoke(["run", "--quiet", graph]) == 0
            case ["despina", "run", graph, *options]:
                assert cli.invoke(["run", "--quiet", graph, *options, *given]) == 0
            case ["despina", "new", _]:
                assert cli.invoke(command.split()[1:]) == 0
            case _:
                pytest.fail(f"what is {command}?")
        if (out := capsys.readouterr().out) and not command.startswith("despina new"):
            yield out


@by_py4j
def test_the_deployment_places_its_graph(engine: Engine) -> None:
    folder = COOKBOOK / "two_machines"
    deployment = json.loads((folder / "two_machines.deploy.json").read_text())
    assert despina.load(folder / "two_machines.graph.json").check(RunOptions(deployment=deployment), engine=engine).ok


def told(name: str) -> tuple[list[str], list[str]]:
    """The commands of a graph in the index, and what each that prints something is said to print."""
    section = INDEX.partition(f"### {name}\n")[2].partition("\n### ")[0]
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    commands = [line for language, text in blocks if language == "sh" for line in text.splitlines()]
    return commands, [text for language, text in blocks if not language]


def collecting(name: str, for_spark: bool = False) -> Graph:
    """The graph with its rows handed to Python; for Spark without port ``late``, as its own words say."""
    graph = despina.load(f"{name}.graph.json").to_dict()
    operators: dict[str, dict[str, Any]] = graph["operators"]
    graph.get("settings", {}).pop("guarantee", None)     # rows for Python may come twice after a loss
    late = [link for link in graph["links"] if for_spark and link["from"].endswith(".late")]
    graph["links"] = [link for link in graph["links"] if link not in late]
    for link in late:
        del operators[link["to"]]
    for sink in expected(name):
        operators[sink] = {"type": "collect_sink"}
    return Graph.from_dict(graph)


def expected(name: str) -> Rows:
    rows: Rows = json.loads((COOKBOOK / name / "expected.json").read_text(encoding="utf-8"))
    return rows


def first_rows(job: despina.Job, number: int) -> list[Row]:
    """Of a job without an end."""
    rows: list[Row] = []
    for batch in job.batches():
        rows += batch.to_pylist()
        if len(rows) >= number:
            break
    return rows


def compare(name: str, found: Rows) -> None:
    """Why a line is bad is in each side's own words, so ``reason`` is left out."""
    for sink, rows in expected(name).items():
        plain = [{column: value for column, value in row.items() if column != "reason"} for row in found[sink]]
        assert not differences(plain, rows, ordered=False, aggregates=AGGREGATES), sink
