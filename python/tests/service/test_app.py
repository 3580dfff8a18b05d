"""The REST interface: what it answers, and what it says of itself."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from despina.errors import Diagnostic, Place, RefusedError
from despina.service import log as logs
from despina.service.guard import Limits
from despina.service.log import Log
from support.service import Service, app, graph


def test_ready_says_why_not_while_the_coordinator_is_lost(service: Service) -> None:
    assert service.engine.alive()
    assert service.client.get("/health/ready").json() == {"ready": True, "reasons": []}
    service.coordinator.close()
    answer = service.client.get("/health/ready")
    assert (answer.status_code, answer.json()["reasons"]) == (503, ["the service ends"])
    assert service.client.get("/health/live").json() == {"status": "ok"}
    refused = service.ask("POST", "/check", {"graph": graph()})
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")


def test_check_tells_everything_and_refuses_nothing(service: Service) -> None:
    assert service.ask("POST", "/check", {"graph": graph()}, role="view").json()["ok"]
    service.engine.found = (Diagnostic("late", "late packets", "warning"), Diagnostic("syntax", "no JSON", pointer="/a"))
    found = service.ask("POST", "/check", {"graph": "{", "file": "g.json"}).json()
    assert not found["ok"]
    assert [(each["severity"], each["rule"]) for each in found["diagnostics"]] == [("warning", "late"), ("error", "syntax")]


def test_version_names_engine_and_java(service: Service) -> None:
    assert service.engine.alive()
    found = service.ask("GET", "/version").json()
    assert found["java"] == "17"
    assert found["despina"]


def test_jobs_are_found_by_labels(service: Service) -> None:
    service.submit("a", labels={"line": "1", "kind": "x"})
    service.submit("b", labels={"line": "2"})
    assert [job["name"] for job in service.ask("GET", "/jobs?label=line=1&label=kind=x").json()["jobs"]] == ["a"]
    assert [job["name"] for job in service.ask("GET", "/jobs?label=line=3").json()["jobs"]] == []
    assert service.ask("GET", "/jobs?label=line").status_code == 422


def test_a_job_is_answered_with_its_status_and_where_to_look(service: Service) -> None:
    assert service.engine.alive()
    answer = service.ask("POST", "/jobs", {"graph": graph()})
    assert answer.headers["location"] == "/api/v1/jobs/numbers?run=1"
    service.until("numbers", "running")
    assert service.ask("GET", "/jobs/numbers?run=1").json()["status"]["state"] == "running"
    listed, = service.ask("GET", "/jobs").json()["jobs"]
    assert listed["status"]["job"] == "j1"


def test_a_name_of_the_graph_that_no_job_can_have_becomes_one(service: Service) -> None:
    service.ask("POST", "/jobs", {"graph": graph("hot alarms, 2")})
    assert [job.record.name for job in service.jobs.all()] == ["hot_alarms__2"]


@pytest.mark.parametrize(("path", "words"), [("/jobs/number", "did you mean numbers?"), ("/jobs/x", "see despina list"),
                                             ("/jobs/numbers?run=7", "its runs: 1"), ("/jobs/numbers/log?run=2", "its runs: 1")])
def test_what_is_not_there_is_told_with_a_hint(service: Service, path: str, words: str) -> None:
    service.submit()
    answer = service.ask("GET", path)
    assert answer.status_code == 404
    assert words in answer.text


def test_what_is_no_request_is_told_at_its_place(service: Service) -> None:
    answer = service.ask("POST", "/jobs", {"graph": graph(), "restart": "sometimes", "labels": {"a": 1}})
    assert answer.status_code == 422
    assert {each["pointer"] for each in answer.json()["diagnostics"]} == {"/restart", "/labels/a"}
    for path, code in (("/nothing", 404), ("/jobs/numbers/start", 405)):
        answer = service.ask("GET", path)
        assert (answer.status_code, answer.json()["diagnostics"][0]["rule"]) == (code, "route")


def test_the_document_of_the_interface_names_every_answer(service: Service) -> None:
    found = service.client.get("/api/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    for path, methods in found["paths"].items():
        for method, told in methods.items():
            assert told.get("description"), (method, path)
            assert path.startswith("/health/") or {"401", "403", "404", "409", "422"} <= set(told["responses"]), (method, path)
            assert path.startswith("/health/") or told["security"] == [{"HTTPBearer": []}], (method, path)
    for name, schema in found["components"]["schemas"].items():
        assert schema.get("description") or schema.get("enum"), name
    assert app.docs_url is None     # a page that loads scripts from elsewhere


def test_a_graph_is_formatted_and_limits_are_told_to_whoever_may_look(service: Service) -> None:
    told = service.ask("POST", "/format", {"graph": '{"a": 1}\x1e{"p": {"text": ""}}'}, role="view")
    assert told.json() == {"graph": '{\n  "a": 1\n}\n\x1e{"p": {"text": ""}}'}
    service.engine.unfit = (Diagnostic("syntax", "no JSON", place=Place("graph", 1, 2)),)
    refused = service.ask("POST", "/format", {"graph": "{"}, role="view")
    assert (refused.status_code, refused.json()["diagnostics"][0]["line"]) == (422, 1)
    assert service.ask("GET", "/limits", role="view").json() == asdict(Limits())


def test_the_schema_of_graphs_is_that_of_the_engine(service: Service) -> None:
    found = service.ask("GET", "/schema", role="view")
    assert found.headers["content-type"] == "application/schema+json"
    assert found.json()["$defs"]["operator.filter"]["properties"]["type"] == {"const": "filter"}
    assert service.ask("GET", "/schema", role="view", accept_encoding="identity").content == found.content


def test_a_log_is_read_in_pieces_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "ANSWER_BYTES", 200)
    log = Log(tmp_path, "log")
    for number in range(20):
        log.add("info", "service", f"line {number}")
    found, place, rounds = [], "", 0
    while True:
        lines, place = log.read(place)
        rounds += 1
        if not lines:
            break
        found += [line["text"] for line in lines]
    assert found == [f"line {number}" for number in range(20)]
    assert rounds > 5
    log.add("info", "service", "later")
    assert [line["text"] for line in log.read(place)[0]] == ["later"]


def test_a_log_has_a_bound_and_a_reader_goes_on_over_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "SEGMENT_BYTES", 500)
    log = Log(tmp_path, "log")
    log.add("info", "service", "first")
    _, place = log.read()
    followed = []
    for number in range(40):
        log.add("info", "service", f"line {number}")
        lines, place = log.read(place)
        followed += [line["text"] for line in lines]
    assert followed == [f"line {number}" for number in range(40)]
    assert len(list(tmp_path.glob("log.*.jsonl"))) == logs.SEGMENTS
    lines, _ = Log(tmp_path, "log").read()
    assert lines[-1]["text"] == "line 39"
    assert lines[0]["text"] != "first"
    with pytest.raises(RefusedError, match="no place in a log"):
        log.read("../../etc/passwd")


def test_a_line_that_is_too_long_is_cut(tmp_path: Path) -> None:
    log = Log(tmp_path, "log")
    log.add("info", "console", "x" * 100_000)
    assert len(log.read()[0][0]["text"]) == logs.LINE_CHARS


def test_operators_of_a_running_job_are_told_and_answer(service: Service) -> None:
    service.submit()
    service.until("numbers", "running")
    told = service.ask("POST", "/jobs/numbers/control", {"command": "fire", "operator": "hourly", "argument": "close"})
    assert told.status_code == 200
    assert told.json() == {"answers": [{"operator": "hourly", "instance": 0, "ok": True, "answer": ""}]}
    told = service.ask("POST", "/jobs/numbers/control?run=1", {"command": "reload"})
    assert [(one["operator"], one["ok"], one["answer"]) for one in told.json()["answers"]] == [
        ("every", False, "it cannot be imported")]
    assert service.engine.named().told == ["fire hourly close", "reload"]
    assert [line["text"] for line in service.ask("GET", "/jobs/numbers/log").json()["lines"]][-2:] == [
        "fire hourly: done", "reload: not done by all"]
    assert service.ask("POST", "/jobs/numbers/control", {"command": "hold"}, role="view").status_code == 403
    events = service.ask("GET", "/events").json()["lines"]
    assert [(line["who"], line["text"]) for line in events if line["what"] == "control"] == [
        ("admin2", "fire hourly: done"), ("admin2", "reload: not done by all")]


def test_nobody_is_told_where_there_is_no_such_command_or_the_job_has_ended(service: Service) -> None:
    service.submit()
    service.until("numbers", "running")
    service.engine.refuses.append(RefusedError("command", "there is no command `holt`", "did you mean hold?"))
    refused = service.ask("POST", "/jobs/numbers/control", {"command": "holt"})
    assert (refused.status_code, refused.json()["diagnostics"][0]["hint"]) == (422, "did you mean hold?")
    service.engine.become("done")
    service.until("numbers", "done")
    refused = service.ask("POST", "/jobs/numbers/control", {"command": "hold"})
    assert (refused.status_code, refused.json()["diagnostics"][0]["message"]) == (409, "the job numbers is done")
    assert service.ask("POST", "/jobs/other/control", {"command": "hold"}).status_code == 404
