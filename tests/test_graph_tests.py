"""``despina test``: the tests beside our own graphs, and what the command says of what is wrong."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina import cli
from despina import engine as engines
from despina.cli.options import files
from despina.engine import Engine
from despina.errors import GraphError
from despina.options import RunOptions
from despina.testing import file, runs
from support import postgres
from support.cookbook import fitted, missing
from support.every import EVERY
from support.graphs import chain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[1]
GRAPHS = ROOT / "graphs"
SHOWN = sorted(path for folder in ("graphs", "benchmarks", "examples/pyspark") for path in (ROOT / folder).rglob("*.graph.json")
               if not {"invalid", "cookbook"} & set(path.parts))
"""What a reader may run, beside the cookbook, which has tests of its own."""
OURS = sorted(GRAPHS.glob("*.test.json")) + sorted(GRAPHS.glob("hibench/*.test.json"))
ON_THE_ENGINE = {
    ("deadman", "one alarm for each device"): "Spark has no form of the wall clock",
    ("deadman", "a device that is back"): "Spark has no form of the wall clock",
    ("devices_that_return", "what is behind its own device's clock is late"): "Spark has no late packets",
    ("running_totals", "the total with each order"): "Spark gives final rows",
}
"""Cases that are not run on Spark, and why."""
NEXMARK = sorted(GRAPHS.glob("nexmark/*.test.json"))
"""On the engine: another test runs these graphs on Spark."""
COOKBOOK = sorted(GRAPHS.glob("cookbook/*/*.test.json")) + sorted(GRAPHS.glob("templates/*/*.test.json"))
"""On the engine, too. The tables of their lookups lie beside them."""
WITHOUT = {"relay", "manufacturing_input", "send", "mqtt-to-postgres"}
"""Graphs without tests: a relay's packets are no rows, two make the input of others, and one needs a driver's jar."""

by_py4j = pytest.mark.parametrize("engine", ["py4j"], indirect=True)
READING = {"ts": "2012-02-22T16:46:28Z", "index": 1, "mf01": 100}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with our graph and nothing else."""
    shutil.copy(GRAPHS / "power_alarm.graph.json", tmp_path)
    return tmp_path


def command(monkeypatch: pytest.MonkeyPatch, engine: Engine, *arguments: str) -> int:
    """The command on an engine that stays."""
    monkeypatch.setattr(engines, "start", lambda *_, **__: engine)
    monkeypatch.setattr(engines, "stop", lambda: False)
    return cli.invoke(["test", *arguments])


def write(folder: Path, *cases: dict[str, Any], graph: str = "power_alarm.graph.json") -> Path:
    """A file of tests."""
    path = folder / "power_alarm.test.json"
    path.write_text(json.dumps({"graph": graph, "cases": cases}))
    return path


def test_every_graph_has_tests() -> None:
    graphs = {path.with_name(path.name.removesuffix(".graph.json")) for path in GRAPHS.rglob("*.graph.json")
              if "invalid" not in path.parts}
    assert {path.with_name(path.name.removesuffix(".test.json")) for path in OURS + NEXMARK + COOKBOOK} == {
        graph for graph in graphs if graph.name not in WITHOUT}


@by_py4j
def test_ours_on_the_engine(engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                            capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(files([GRAPHS], file.SUFFIX)) == sorted(OURS + NEXMARK + COOKBOOK)
    paths = [fitted(path.parent.name, tmp_path) / path.name if path.parent.parent.name == "cookbook" else path
             for path in files([GRAPHS], file.SUFFIX) if missing(path.parent.name) is None]
    assert command(monkeypatch, engine, *map(str, paths), "--batches", "1,7,all" if EVERY else "1,all") == 0
    cases = [f"{path}: {case.name}: ok" for path in paths for case in file.read(path).cases]
    assert capsys.readouterr().out.splitlines() == cases


def test_ours_on_spark(spark: SparkSession) -> None:
    from despina.backends.spark.session import SparkDriver
    backend = runs.OnSpark(Engine(SparkDriver(spark), "spark"), lambda: spark)
    left_out = set(ON_THE_ENGINE)
    for path in OURS:
        tests = file.read(path)
        here = [case for case in tests.cases if (path.name.removesuffix(".test.json"), case.name) not in ON_THE_ENGINE]
        left_out -= {(path.name.removesuffix(".test.json"), case.name) for case in tests.cases}
        for outcome in runs.run(replace(tests, cases=here), backend, RunOptions()):
            assert outcome.ok, outcome
    assert not left_out


FUNCTIONS = """
def apart(n):
    return n - n.mean()


def twice(n):
    return 2 * n
"""


def of_functions(folder: Path, name: str, expected: list[float]) -> Path:
    """A file of tests of a graph with that numpy function, for the rows 1, 2 and 6."""
    (folder / "mine.py").write_text(FUNCTIONS)
    (folder / "f.graph.json").write_text(json.dumps(chain(
        ("source", {"type": "file_source", "path": "none.json", "format": "json", "schema": "n DOUBLE"}),
        ("tried", {"type": "python", "function": f"mine:{name}", "takes": "numpy", "adds": "v DOUBLE"}),
        ("sink", {"type": "collect_sink"}))))
    return write(folder, {"name": "three", "inputs": {"source": [{"n": 1.0}, {"n": 2.0}, {"n": 6.0}]}, "expect": {
        "sink": [{"n": n, "v": v} for n, v in zip([1.0, 2.0, 6.0], expected, strict=True)]}}, graph="f.graph.json")


@by_py4j
def test_a_function_that_depends_on_its_batches_is_found(engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                                                         capsys: pytest.CaptureFixture[str]) -> None:
    path = of_functions(tmp_path, "apart", [-2.0, -1.0, 3.0])
    assert command(monkeypatch, engine, str(path)) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{path}: three: failed with batch_rows=1"
    assert '  + {"n": 6.0, "v": 0.0}' in told
    assert command(monkeypatch, engine, str(path), "--batches", "2", "--json") == 1
    assert json.loads(capsys.readouterr().out)["cases"][0]["batch_rows"] == 2
    assert command(monkeypatch, engine, str(of_functions(tmp_path, "twice", [2.0, 4.0, 12.0]))) == 0
    assert capsys.readouterr().out == f"{path}: three: ok\n"
    assert command(monkeypatch, engine, str(path), "--batches", "1,some") == 2
    assert "'some' is no number of rows from 1 to 1048576, and not all: write 1,7,all" in capsys.readouterr().err


def test_batches_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    from despina.backends.spark.session import SparkDriver
    backend = runs.OnSpark(Engine(SparkDriver(spark), "spark"), lambda: spark)
    tests = file.read(of_functions(tmp_path, "apart", [-2.0, -1.0, 3.0]))
    sizes = [outcome.batch_rows for size in (1, runs.ALL) for outcome in runs.run(tests, backend, RunOptions(), batches=[size])]
    assert sizes == [1, None]


@by_py4j
def test_relative_paths_are_of_the_graphs_folder(engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "rooms.csv").write_text("a,hall\n")
    (tmp_path / "graphs" / "g.graph.json").write_text(json.dumps(chain(
        ("source", {"type": "file_source", "path": "none.csv", "format": "csv", "schema": "device STRING"}),
        ("found", {"type": "lookup", "key": {"id": "device"}, "from": {
            "type": "file", "path": "rooms.csv", "format": "csv", "schema": "id STRING, room STRING"}}),
        ("sink", {"type": "collect_sink"}))))
    (tmp_path / "tests" / "g.test.json").write_text(json.dumps({"graph": "../graphs/g.graph.json", "cases": [{
        "name": "a room", "inputs": {"source": [{"device": "a"}]}, "expect": {"sink": [{"device": "a", "room": "hall"}]}}]}))
    monkeypatch.chdir(tmp_path)
    assert command(monkeypatch, engine, "tests") == 0
    assert Path.cwd() == tmp_path


@by_py4j
def test_all_rows_of_a_table_come_before_what_looks_them_up(engine: Engine, monkeypatch: pytest.MonkeyPatch,
                                                           tmp_path: Path) -> None:
    content = chain(("source", {"type": "tcp_source", "port": 0, "format": "json", "schema": "device STRING"}),
                    ("found", {"type": "lookup", "key": {"id": "device"}, "from": {"type": "stream"}}),
                    ("sink", {"type": "collect_sink"}))
    content["operators"]["rooms"] = {"type": "tcp_source", "port": 0, "format": "json", "schema": "id STRING, room STRING"}
    content["links"].append({"from": "rooms", "to": "found.table"})
    (tmp_path / "g.graph.json").write_text(json.dumps(content))
    (tmp_path / "g.test.json").write_text(json.dumps({"graph": "g.graph.json", "cases": [{
        "name": "the last room", "inputs": {"source": [{"device": "a"}] * 100, "rooms": [{"id": "a", "room": "hall"},
                                                                                         {"id": "a", "room": "roof"}]},
        "expect": {"sink": [{"device": "a", "room": "roof"}] * 100}}]}))
    assert command(monkeypatch, engine, str(tmp_path)) == 0


@by_py4j
def test_rows_that_differ_are_listed(engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
                                     folder: Path) -> None:
    path = write(folder, {"name": "wrong", "inputs": {"readings": [READING]}, "expect": {
        "per_second": [{"second": READING["ts"], "n": 2, "mean": 100, "swing": 0}], "swings.rejected": []}})
    assert command(monkeypatch, engine, str(folder)) == 1
    out = capsys.readouterr().out
    assert f"{path}: wrong: failed\n" in out
    assert re.search(r"power_alarm.test.json:1:\d+: the rows of per_second are not as expected", out)
    assert '  - {"second": "2012-02-22T16:46:28Z", "n": 2, "mean": 100, "swing": 0}\n' in out
    assert '  + {"second": "2012-02-22T16:46:28Z", "n": 1, "mean": 100.0, "swing": 0}\n' in out
    assert "the rows of swings.rejected are not as expected" in out


@by_py4j
def test_record_writes_what_comes_and_then_all_is_as_expected(engine: Engine, monkeypatch: pytest.MonkeyPatch,
                                                              capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    path = write(folder, {"name": "new", "inputs": {"readings": [READING, {**READING, "index": 2, "mf01": 200}]}})
    assert command(monkeypatch, engine, str(path)) == 2
    assert "despina test --record writes what comes" in capsys.readouterr().err
    assert command(monkeypatch, engine, str(path), "--record") == 0
    assert json.loads(path.read_text())["cases"][0]["expect"] == {
        "alarms": [{"second": "2012-02-22T16:46:28Z", "n": 2, "mean": 150.0, "swing": 100}]}
    written = path.read_bytes()
    assert command(monkeypatch, engine, str(path), "--record") == 0
    assert path.read_bytes() == written
    assert command(monkeypatch, engine, str(path), "--json") == 0


@by_py4j
def test_the_order_counts_where_the_case_says_so(engine: Engine, folder: Path) -> None:
    later = {**READING, "ts": "2012-02-22T16:46:29Z"}
    expect = {"per_second": [{"second": row["ts"], "n": 1, "mean": 100.0, "swing": 0} for row in (later, READING)]}
    case = {"inputs": {"readings": [READING, later]}, "expect": expect}
    path = write(folder, {"name": "any", **case}, {"name": "ordered", **case, "ordered": True})
    backend = runs.OnEngine(engine, 60)
    assert [outcome.ok for outcome in runs.run(file.read(path), backend, RunOptions())] == [True, False]


@by_py4j
@pytest.mark.parametrize(("case", "rule", "words"), [
    ({"inputs": {"reading": []}, "expect": {"alarms": []}}, "unknown_operator", "did you mean `readings`?"),
    ({"inputs": {"readings": []}, "expect": {"swings.rejects": []}}, "unknown_port", "did you mean `rejected`?"),
    ({"inputs": {"readings.errors": []}, "expect": {"alarms": []}}, "dead_letter", "nothing leaves by `readings.errors`"),
    ({"inputs": {"alarms": []}, "expect": {"alarms": []}}, "input", "`alarms` is a sink"),
    ({"inputs": {"readings": [{"mf1": 3}]}, "expect": {"alarms": []}}, "unknown_column", "did you mean `mf01`?"),
    ({"inputs": {"readings": []}, "expect": {"alarms": [{"means": 3}]}}, "unknown_column", "did you mean `mean`?"),
    ({"expect": {"alarms": []}}, "parameter", "parameter `input` is not set"),
    ({"parameters": {"inputs": "x"}, "inputs": {"readings": []}, "expect": {"alarms": []}}, "parameter", "did you mean `input`?"),
])
def test_a_case_that_is_refused(engine: Engine, folder: Path, case: dict[str, Any], rule: str, words: str) -> None:
    path = write(folder, {"name": "x", **case})
    [outcome] = runs.run(file.read(path), runs.OnEngine(engine, 60), RunOptions())
    assert isinstance(outcome.error, GraphError)
    [found] = outcome.error.diagnostics
    assert (found.rule, words in str(found)) == (rule, True), found


@by_py4j
def test_a_row_that_does_not_fit_fails_the_case(engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch,
                                                capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder, {"name": "x", "inputs": {"readings": [READING, {**READING, "mf01": "many"}]}, "expect": {"alarms": []}})
    assert command(monkeypatch, engine, str(path)) == 1
    told = capsys.readouterr().err
    assert re.search(r"power_alarm\.test\.json:1:\d+: error\[operator\]: row 2 of `readings`: .*many", told), told
    assert not re.search("jsonl|on_error", told), told


@by_py4j
def test_a_case_without_an_end_fails_in_its_time(engine: Engine, folder: Path) -> None:
    (folder / "endless.graph.json").write_text(json.dumps({"format": 1, "name": "endless", "operators": {
        "ids": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "rate_per_s": 10},
        "few": {"type": "filter", "where": "id < 3"}, "sink": {"type": "discard_sink"}},
        "links": [{"from": "ids", "to": "few"}, {"from": "few", "to": "sink"}]}))
    path = write(folder, {"name": "endless", "expect": {"sink": []}}, graph="endless.graph.json")
    [outcome] = runs.run(file.read(path), runs.OnEngine(engine, 0.2), RunOptions())
    assert outcome.error is not None
    assert outcome.error.rule == "timeout"
    path = write(folder, {"name": "port", "inputs": {"few.rejected": [{"id": 1}]}, "expect": {"few.rejected": [{"id": 1}]}},
                 {"name": "source", "inputs": {"ids": [{"id": 1}, {"id": 4}]},
                  "expect": {"sink": [{"id": 1}], "few.rejected": [{"id": 4}], "ids": [{"id": 4}, {"id": 1}]}},
                 graph="endless.graph.json")
    assert [outcome.ok for outcome in runs.run(file.read(path), runs.OnEngine(engine, 60), RunOptions())] == [True, True]


def test_all_that_is_wrong_with_a_file_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.test.json"
    path.write_text("""{
  "graph": 3, "case": [],
  "cases": [
    {"name": "a", "inputs": {"x": {}}, "expects": {}},
    {"name": "b", "expect": {"y": [{"k": 1}, 2]}, "parameters": {"p": [1]}},
    {"name": "b", "ordered": 1, "ordered": true}
  ]
}""")
    with pytest.raises(GraphError) as refused:
        file.read(path)
    found = [(d.rule, d.place.line, d.place.column, d.pointer) for d in refused.value.diagnostics]
    assert found == [("wrong_type", 2, 12, "/graph"), ("unknown_field", 2, 23, "/case"),
                     ("duplicate_key", 6, 44, "/cases/2/ordered")]
    path.write_text(path.read_text().replace('"graph": 3, "case": []', '"graph": "g"').replace('"ordered": 1, ', ""))
    with pytest.raises(GraphError) as refused:
        file.read(path)
    found = [(d.rule, d.place.line, d.place.column, d.pointer) for d in refused.value.diagnostics]
    assert found == [("unknown_field", 4, 51, "/cases/0/expects"), ("wrong_type", 5, 46, "/cases/1/expect/y/1"),
                     ("wrong_type", 5, 71, "/cases/1/parameters/p"), ("duplicate_id", 6, 14, "/cases/2/name")]


def test_a_folder_without_tests_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.invoke(["test", str(tmp_path)]) == 2
    assert "no file *.test.json in this folder" in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name.partition(".")[0])
def test_a_graph_that_is_shown_passes_check_without_a_warning(path: Path, engine: Engine) -> None:
    graph = despina.load(path)
    needed = {name: "1" for name, said in graph.to_dict().get("parameters", {}).items() if "default" not in said}
    jars = [postgres.driver_jar()] if "postgres" in path.name else None
    assert graph.check(RunOptions(needed, jars=jars), engine=engine).diagnostics == ()
