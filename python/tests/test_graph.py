import base64
import json
import math
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow
import pytest

import despina
from despina.engine import Engine
from despina.errors import GraphError, Place, RefusedError
from despina.graph import Graph, RunOptions
from despina.options import run_options
from despina.values import caller

Scripted = Callable[..., tuple[Engine, Any]]


def test_load_keeps_the_text_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "g.json"
    file.write_text('{ "name": "τ" }\n', encoding="utf-8")
    graph = despina.load(file)
    assert (graph.text, graph.file, graph.name) == ('{ "name": "τ" }\n', str(file), "τ")


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    (tmp_path / "g.json").write_bytes(b'\xef\xbb\xbf{"name": "g"}')
    assert despina.load(tmp_path / "g.json").to_dict() == {"name": "g"}


def test_a_missing_file_is_named_with_what_is_nearly_so(tmp_path: Path) -> None:
    (tmp_path / "relay.graph.json").touch()
    with pytest.raises(RefusedError) as raised:
        despina.load(tmp_path / "realy.graph.json")
    assert raised.value.place == Place(str(tmp_path / "realy.graph.json"))
    assert raised.value.hint == f"did you mean {tmp_path / 'relay.graph.json'}?"
    with pytest.raises(RefusedError) as raised:
        despina.load(tmp_path / "hot.graph.json")
    assert raised.value.hint == ""


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "g").write_bytes("{\n \"τ".encode() + b"\xff}")
    with pytest.raises(RefusedError, match="byte 0xff is not UTF-8") as raised:
        despina.load(tmp_path / "g")
    assert raised.value.place == Place(str(tmp_path / "g"), 2, 4)
    with pytest.raises(RefusedError, match="cannot be read"):
        despina.load(tmp_path)


def test_broken_json_has_a_place(tmp_path: Path) -> None:
    with pytest.raises(GraphError) as raised:
        Graph('{"name": 1,\n 2}', "g.json").to_dict()
    assert raised.value.place == Place("g.json", 2, 2)
    assert raised.value.rule == "syntax"
    assert Graph("{", "folder/g.json").name == "g.json"


def test_options_go_to_the_gateway_in_its_words(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text('{"format": 1}')
    options = RunOptions({"n": 5, "x": 0.5, "on": True, "s": "t"}, tmp_path / "d.json", 2.5, drain_ms=40, secret_file="secret",
                         tls="tls")
    assert options.for_gateway() == {
        "parameters": {"n": "5", "x": "0.5", "on": "true", "s": "t"}, "deployment_text": '{"format": 1}',
        "deployment_file": str(tmp_path / "d.json"), "duration_s": 2.5, "drain_ms": 40, "directory": str(Path.cwd()),
        "secret_file": str(Path("secret").absolute()), "tls": str(Path("tls").absolute()),
    }
    assert json.loads(RunOptions(deployment={"format": 1}).for_gateway()["deployment_text"]) == {"format": 1}
    assert RunOptions().for_gateway() == {"directory": str(Path.cwd())}


@pytest.mark.parametrize(("name", "value"), [
    ("duration_s", 0), ("duration_s", 0.0004), ("duration_s", math.inf), ("duration_s", math.nan), ("duration_s", -1),
    ("duration_s", "5"), ("warm_up_s", math.inf), ("warm_up_s", -0.5), ("drain_ms", math.nan), ("drain_ms", -1),
])
def test_a_span_of_time_that_is_none_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(RefusedError) as raised:
        run_options({name: value}).for_gateway()
    assert (raised.value.rule, raised.value.message) == ("option", f"{name}={value!r} is not a span of time")


def test_the_shortest_spans_of_time_are_taken() -> None:
    assert run_options({"duration_s": 0.001, "warm_up_s": 0, "drain_ms": 0}).for_gateway() == {
        "duration_s": 0.001, "warm_up_s": 0, "drain_ms": 0, "directory": str(Path.cwd())}


def test_an_unknown_option_gets_a_hint() -> None:
    with pytest.raises(RefusedError) as raised:
        run_options({"durations_s": 3})
    assert raised.value.hint == "did you mean duration_s?"


def test_what_is_given_is_held_against_the_sources_columns_first(scripted: Scripted) -> None:
    sink = pyarrow.BufferOutputStream()
    pyarrow.ipc.new_stream(sink, pyarrow.schema([("n", pyarrow.int64())])).close()
    schema = base64.b64encode(sink.getvalue().to_pybytes()).decode()
    checked = {"diagnostics": [], "plan": {"operators": []}, "inputs": {"s": schema}}
    engine, driver = scripted(check=[checked], run=[{"job": "j1"}], feed=[{"room": True, "open": False}])
    graph = Graph("{}", "g")
    graph.run(engine=engine, inputs={"s": []}, duration_s=3)
    assert json.loads(driver.asked[0][3]) == {"directory": str(Path.cwd()), "inputs": ["s"]}
    assert json.loads(driver.asked[1][3]) == {"directory": str(Path.cwd()), "inputs": ["s"], "duration_s": 3}
    engine, driver = scripted(check=[checked])
    with pytest.raises(RefusedError, match="the source has no column m"):
        graph.run(engine=engine, inputs={"s": pyarrow.table({"m": [1]})})
    assert driver.methods() == ["check"]


def test_check_sends_only_what_check_takes(scripted: Scripted) -> None:
    engine, driver = scripted(check=[{"diagnostics": [], "plan": {"operators": []}}])
    graph = Graph("{}", "g")
    assert graph.check(RunOptions({"a": "b"}, duration_s=3), for_spark=True, engine=engine).plan == {"operators": []}
    assert json.loads(driver.asked[0][3]) == {
        "directory": str(Path.cwd()), "parameters": {"a": "b"}, "for_spark": True}


def test_a_dict_keeps_the_callers_line_for_errors(scripted: Scripted) -> None:
    found = {"rule": "unknown_field", "message": "no field `typ`", "pointer": "/operators/a/typ", "line": 4, "column": 7}
    engine, _ = scripted(check=[{"diagnostics": [found]}])
    graph = Graph.from_dict({"operators": {"a": {"typ": "relay"}}}); line = here()  # noqa: E702
    with pytest.raises(GraphError) as raised:
        graph.check(engine=engine)
    assert raised.value.place is not None
    assert Path(raised.value.place.file).name == "test_graph.py"
    assert raised.value.place.line == line


def test_what_is_wrong_with_the_deployment_stays_in_its_file(scripted: Scripted) -> None:
    graph = Graph.from_dict({"operators": {"a": {"type": "relay"}}})
    ours = {"rule": "unlinked_port", "message": "no link", "pointer": "/operators/a", "file": graph.file, "line": 4, "column": 7}
    theirs = {"rule": "unknown_operator", "message": "no b", "pointer": "/place/b", "file": "d.json", "line": 4, "column": 12}
    engine, _ = scripted(run=[{"diagnostics": [ours, theirs]}])
    with pytest.raises(GraphError) as raised:
        graph.start(engine, RunOptions())
    found = [diagnostic.place for diagnostic in raised.value.diagnostics]
    assert Path(found[0].file).name == "test_graph.py"
    assert found[1] == Place("d.json", 4, 12)


class FakeShell:
    """Knows one cell, as IPython's shell and its compiler do."""

    def __init__(self, cell: str) -> None:
        self.cell = cell
        self.compile = self

    def format_code_name(self, name: str) -> tuple[str, str] | None:
        return ("Cell", "In[7]") if name == self.cell else None


@pytest.mark.parametrize(("file", "shown"), [("/tmp/ipykernel_9/123.py", "In[7]"), ("/else/where.py", "/else/where.py")])
def test_a_notebooks_cell_is_named_as_its_author_sees_it(file: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ipython = ModuleType("IPython")
    monkeypatch.setattr(ipython, "get_ipython", lambda: FakeShell("/tmp/ipykernel_9/123.py"), raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    names: dict[str, Any] = {"caller": caller}
    exec(compile("\nplace = caller()", file, "exec"), names)
    assert names["place"] == Place(shown, 2)


@pytest.mark.parametrize("shell", [None, object()])
def test_ipython_without_a_shell_that_knows_cells_changes_nothing(shell: object, monkeypatch: pytest.MonkeyPatch) -> None:
    ipython = ModuleType("IPython")
    monkeypatch.setattr(ipython, "get_ipython", lambda: shell, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert Path(caller().file).name == "test_graph.py"


def here() -> int:
    return sys._getframe(1).f_lineno


def test_run_starts_a_job_with_its_warnings(scripted: Scripted) -> None:
    warning = {"rule": "order", "severity": "warning", "message": "no order_by"}
    engine, driver = scripted(run=[{"job": "j3", "diagnostics": [warning]}])
    with pytest.warns(despina.DespinaWarning, match="no order_by"):
        job = Graph('{"name": "n"}', "g").run(engine=engine, duration_s=1)
    assert (job.id, job.name, job.warnings[0].rule) == ("j3", "n", "order")
    assert driver.asked[0][:3] == ("run", '{"name": "n"}', "g")
    assert json.loads(driver.asked[0][3]) == {"directory": str(Path.cwd()), "duration_s": 1}


def test_what_check_warns_of_is_a_warning_at_its_line_shown_once(scripted: Scripted) -> None:
    warning = {"rule": "order", "severity": "warning", "message": "no order_by", "hint": "add one", "operator": "a",
               "pointer": "/operators/a/by"}
    engine, _ = scripted(run=[{"job": "j3", "diagnostics": [warning]}])
    graph = Graph.from_dict({"operators": {"a": {"by": 1}}}); line = here()  # noqa: E702
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for _ in range(3):
            assert [found.rule for found in graph.run(engine=engine).warnings] == ["order"]
    assert [(each.category, Path(each.filename).name, each.lineno) for each in shown] == [
        (despina.DespinaWarning, "test_graph.py", line)]
    assert str(shown[0].message) == "[order]: no order_by (at /operators/a/by, operator a)\n  hint: add one"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(despina.DespinaWarning, match="no order_by"):
            graph.run(engine=engine)


def test_a_job_is_drawn_from_its_graph_and_plan_without_the_values_of_parameters(scripted: Scripted) -> None:
    text = '{"name": "n", "operators": {"a": {"type": "file_source", "path": "${path}"}}}'
    planned = {"operators": [{"id": "a", "type": "file_source", "fields": {"path": "secret"}}]}
    engine, driver = scripted(run=[{"job": "j3", "diagnostics": []}], check=[{"plan": planned}, {"diagnostics": [{"rule": "x"}]}])
    job = Graph(text, "g").start(engine, RunOptions({"path": "secret"}))
    assert [each[0] for each in driver.asked] == ["run"]
    assert job.form() == {"graph": text, "deployment": None, "plan": {"operators": [
        {"id": "a", "type": "file_source", "fields": {"path": "${path}"}}]}}
    assert job.form() == {"graph": text, "deployment": None, "plan": None}


@pytest.mark.parametrize("place", ["moon", "spark"])
def test_run_elsewhere_is_refused(place: Any) -> None:
    with pytest.raises(RefusedError, match=f"unknown place to run: '{place}'") as raised:
        Graph("{}", "g").run(place)
    assert "Graph.to_spark(session)" in raised.value.hint


def test_save_replaces_the_file_with_the_canonical_form(scripted: Scripted, tmp_path: Path) -> None:
    engine, _ = scripted(format=[{"text": '{"name": "ü"}\n'}])
    target = tmp_path / "g.json"
    target.write_text("old")
    Graph('{"name":"ü"}', "g").save(target, engine)
    assert target.read_text(encoding="utf-8") == '{"name": "ü"}\n'
    assert [entry.name for entry in tmp_path.iterdir()] == ["g.json"]


def test_an_interrupt_does_not_wait_for_a_start_that_takes_long(
        scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    released, asked = threading.Event(), threading.Event()

    def run() -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        released.wait(20)
        asked.set()
        return {"job": "g-1"}

    engine, driver = scripted(run=[run], stop=[{}], **{"await": [{"state": "stopped"}]})
    monkeypatch.setattr("despina.graph.LOOKS_AFTER_SIGNAL", 1)
    with pytest.raises(KeyboardInterrupt):
        Graph("{}", "g").start(engine, RunOptions())
    assert not asked.is_set()
    released.set()
    for thread in threading.enumerate():
        if thread.name == "despina-run":
            thread.join()
    assert ("stop", "g-1", "now") in driver.asked
