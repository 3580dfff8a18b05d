import json
from collections.abc import Callable
from typing import Any

import pytest

from despina import drivers, engine
from despina.engine import Engine
from despina.errors import DespinaError, GraphError, JobError, RefusedError, StartError
from despina.job import Job

Scripted = Callable[..., tuple[Engine, Any]]
ERROR = {"severity": "error", "rule": "syntax", "message": "not JSON", "file": "g.json", "line": 1, "column": 2}
WARNING = {"severity": "warning", "rule": "order", "message": "no order_by", "operator": "s"}


def test_check_tells_everything_and_refuses_nothing(scripted: Scripted) -> None:
    asked, driver = scripted(check=[{"diagnostics": [WARNING, ERROR], "plan": None}])
    checked = asked.check("{", "g.json", {"for_spark": True})
    assert not checked.ok
    assert [d.severity for d in checked.diagnostics] == ["warning", "error"]
    assert driver.asked == [("check", "{", "g.json", '{"for_spark": true}')]


def test_run_answers_the_job_and_its_warnings(scripted: Scripted) -> None:
    asked, _ = scripted(run=[{"job": "j7", "diagnostics": [WARNING], "pipes": ["stdin"]}])
    job, warnings, pipes = asked.run("{}", "g", {})
    assert (job, warnings[0].rule, pipes) == ("j7", "order", frozenset({"stdin"}))


def test_a_refused_run_raises_its_diagnostics(scripted: Scripted) -> None:
    asked, _ = scripted(run=[{"diagnostics": [ERROR]}])
    with pytest.raises(GraphError) as raised:
        asked.run("{", "g.json", {})
    assert str(raised.value) == "g.json:1:2: error[syntax]: not JSON"


@pytest.mark.parametrize(("rule", "method", "kind"), [
    ("options", "run", RefusedError), ("resource_start", "run", StartError), ("secret_file", "run", StartError),
    ("tls", "run", StartError), ("unknown_job", "status", JobError),
])
def test_an_error_becomes_the_exception_that_has_its_exit_code(
        scripted: Scripted, rule: str, method: str, kind: type[DespinaError]) -> None:
    asked, _ = scripted(**{method: [{"error": {"rule": rule, "message": "no", "hint": "do"}}]})
    with pytest.raises(DespinaError) as raised:
        getattr(asked, method)(*(["{}", "g", {}] if method == "run" else ["j"]))
    assert type(raised.value) is kind
    assert (raised.value.rule, raised.value.hint) == (rule, "do")


def test_the_error_of_a_failed_job_is_part_of_its_status(scripted: Scripted, a_status: Callable[..., dict[str, Any]]) -> None:
    asked, _ = scripted(status=[a_status("failed", error={"rule": "io", "message": "gone"})])
    assert asked.status("j1")["error"]["rule"] == "io"


def test_an_error_of_an_operator_has_its_place_in_the_graph() -> None:
    found = {"rule": "operator", "message": "operator b: no", "operator": "b", "file": "g.json", "line": 7, "column": 3}
    error = engine.error_of({**found, "pointer": "/operators/b"})
    assert str(error) == "g.json:7:3: error[operator]: operator b: no"
    assert error.as_dicts() == [{**found, "severity": "error"}]
    assert str(engine.error_of({"rule": "channel", "message": "no"})) == "error[channel]: no"


def test_a_move_names_the_resources_in_their_order(scripted: Scripted) -> None:
    asked, driver = scripted(control=[{"answers": []}])
    Job(asked, "j", "graph").move("relay", "near", "far")
    assert driver.asked[0] == ("control", "j", "move", "relay", "near far")


def test_a_schedule_goes_as_the_graph_writes_it(scripted: Scripted) -> None:
    asked, driver = scripted(control=[{"answers": [{"operator": "relay", "instance": 0, "ok": True, "answer": ""}]}])
    Job(asked, "j", "graph").set_schedule("relay", {"type": "periodic", "every_ms": 10})
    assert driver.asked[0][:4] == ("control", "j", "set_schedule", "relay")
    assert json.loads(driver.asked[0][4]) == {"type": "periodic", "every_ms": 10}


def test_a_session_has_one_engine_and_one_driver(monkeypatch: pytest.MonkeyPatch, scripted: Scripted) -> None:
    monkeypatch.setattr(engine, "_session", None)
    made = []

    def start(name: str, *, coordinates_only: bool) -> Any:
        made.append(scripted()[1])
        return made[-1]

    monkeypatch.setattr(drivers, "start", start)
    first = engine.start()
    assert engine.start("py4j") is first
    with pytest.raises(RefusedError, match="runs over py4j, not jpype"):
        engine.start("jpype")
    engine.stop()
    assert made[0].closed
    assert engine.start("jpype") is not first
    engine.stop()


@pytest.mark.parametrize("driver", ["py4j", "jpype"])
def test_an_engine_that_is_gone_is_replaced(monkeypatch: pytest.MonkeyPatch, scripted: Scripted, driver: str) -> None:
    monkeypatch.setattr(engine, "_session", None)
    made = []

    def start(name: str, *, coordinates_only: bool) -> Any:
        made.append(scripted()[1])
        return made[-1]

    monkeypatch.setattr(drivers, "start", start)
    first = engine.start("py4j")
    made[0].lost = True
    second = engine.start(driver)
    assert second is not first
    assert made[0].closed
    assert engine.start(driver) is second
    engine.stop()


def test_an_unknown_driver_is_refused() -> None:
    with pytest.raises(RefusedError, match="no driver 'rmi'"):
        drivers.start("rmi")
