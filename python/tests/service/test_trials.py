"""The tests of a graph as somebody writes it: what may run, where, and what is told of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from despina import parts
from despina.service import trials
from despina.service.bounded import Bound, Bounds, Ended
from despina.service.rules import Rules
from despina.service.trials import Trials
from support.service import Service, graph
from support.service import parts as behind

READS = graph("reads", a={"type": "file_source", "path": "${path}"})
ONE = {"name": "one", "expect": {"a": []}}


def beside(*cases: Any, of: str = "g.json", **more: str) -> dict[str, str]:
    return {"g.test.json": json.dumps({"graph": of, "cases": list(cases or [ONE])}), **more}


class Command:
    """In place of the process."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {"cases": [], "diagnostics": []}
        self.ended: Ended | None = None
        self.calls: list[Sequence[str]] = []
        self.files: dict[str, str] = {}

    def __call__(self, command: Sequence[str], folder: Path, bounds: Bounds, environment: Mapping[str, str],
                 told: Callable[[], bool]) -> Ended:
        self.calls.append(command)
        if told():
            return Ended(-9, b"", "", "told")
        self.files = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
        return self.ended or Ended(0, json.dumps(self.told).encode(), "")


@pytest.fixture
def command(service: Service, monkeypatch: pytest.MonkeyPatch) -> Command:
    made = Command()
    monkeypatch.setattr(behind, "trials", Trials(made))
    return made


def ask(service: Service, files: Mapping[str, str], text: str = "", role: str = "operate", **more: Any) -> Any:
    return service.ask("POST", "/test", {"graph": parts.with_files(text or graph(), files), "file": "mine", **more}, role=role)


def test_the_command_gets_the_draft_where_its_tests_look_for_it_and_names_it_as_the_client_does(
        service: Service, command: Command) -> None:
    command.told = {"cases": [
        {"file": "g.test.json", "name": "one", "ok": False,
         "differences": [{"name": "a", "line": 3, "column": 4, "rows": ["- {}", "+ {\"n\": 1}"]}]},
        {"file": "g.test.json", "name": "two", "ok": False, "batch_rows": 7,
         "diagnostics": [{"rule": "type", "message": "no", "file": "g.json", "line": 2}]}], "diagnostics": []}
    told = ask(service, beside()).json()
    assert command.files == {"g.json": graph(), **beside()}
    assert tuple(command.calls[0][:6]) == trials.COMMAND
    assert command.calls[0][-2:] == ["--", "g.test.json"]
    assert told["ok"] is False
    assert told["cases"][0]["differences"][0]["rows"][1] == '+ {"n": 1}'
    assert (told["cases"][1]["batch_rows"], told["cases"][1]["diagnostics"][0]["file"]) == (7, "mine")
    assert list((service.folder / "staging").iterdir()) == []


def test_what_a_graph_may_not_name_is_refused_with_the_parameters_of_each_case(service: Service, command: Command) -> None:
    two = {**ONE, "name": "two", "parameters": {"path": "/etc/passwd"}}
    told = ask(service, beside({**ONE, "parameters": {"path": "x.csv"}}, two), READS).json()
    assert (told["ok"], told["cases"]) == (False, [])
    assert [(each["rule"], each["file"], each["operator"]) for each in told["diagnostics"]] == [("path", "mine", "a")]
    code = graph(a={"type": "python", "function": "os:system"})
    assert ask(service, beside(), code).json()["diagnostics"][0]["rule"] == "allowed"
    assert command.calls == []


@pytest.mark.parametrize(("of", "more"), [
    ("../g.json", {}), ("a/g.json", {}), ("/etc/g.json", {}), ("g.test.json", {}), ("other.json", {"other.json": READS}),
    ("g.json", {"g.json/x": "{}"})])
def test_tests_name_the_graph_that_came_with_them_alone(service: Service, command: Command, of: str,
                                                        more: dict[str, str]) -> None:
    answer = ask(service, beside(of=of, **more))
    told = answer.json()["diagnostics"][0]
    assert (told["rule"], told["file"], told["line"]) == ("tests", "g.test.json", 1)
    assert command.calls == []


@pytest.mark.parametrize("files", [{"../g.test.json": "{}"}, {"g.test.json": "{}", "sitecustomize.py": ""}, {"x.json": "{}"}, {}])
def test_files_that_may_not_come_are_refused(service: Service, command: Command, files: dict[str, str]) -> None:
    assert ask(service, files).status_code == 422
    assert command.calls == []


def test_half_letters_and_what_is_no_file_are_refused(service: Service, command: Command) -> None:
    for text in ('[]', '{"g.test.json": 1}', '{"g.test.json": {"text": 1}}', '{"g.test.json": {"text": "\\ud800"}}', "{"):
        answer = service.ask("POST", "/test", {"graph": f"{graph()}{parts.SEPARATOR}{text}"})
        assert (answer.status_code, answer.json()["diagnostics"][0]["rule"]) == (422, "syntax"), text
    assert command.calls == []


def test_tests_that_are_not_in_order_are_told_at_their_places_and_nothing_runs(service: Service, command: Command) -> None:
    told = ask(service, {"g.test.json": '{"graph": "g.json",\n "kases": []}'}).json()["diagnostics"]
    assert {(each["file"], each["rule"]) for each in told} == {("g.test.json", "unknown_field"), ("g.test.json", "missing_field")}
    assert told[-1]["line"] == 2
    assert command.calls == []


def test_who_only_looks_runs_nothing_and_one_waits_for_no_other(service: Service, command: Command,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(service, beside(), role="view").status_code == 403

    def another(*_: Any) -> Ended:
        busy = ask(service, beside())
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "2")
        return Ended(0, b'{"cases": [], "diagnostics": []}', "")
    monkeypatch.setattr(behind, "trials", Trials(another))
    assert ask(service, beside()).json()["ok"] is True


@pytest.mark.parametrize(("over", "words"), [
    ("seconds", "longer than 120 s"), ("memory", "2,147,483,648 bytes"), ("output", "too much"), ("", "exit code 9: it broke")])
def test_an_end_without_a_result_is_told(service: Service, command: Command, over: Bound, words: str) -> None:
    command.ended = Ended(9, b"", "it broke", over)
    answer = ask(service, beside())
    assert (answer.status_code, words in answer.json()["diagnostics"][0]["message"]) == (422, True)


def test_the_end_of_the_service_ends_them(service: Service, command: Command) -> None:
    behind.trials.close()
    answer = ask(service, beside())
    assert (answer.status_code, answer.json()["diagnostics"][0]["message"]) == (
        503, "the tests were ended, because the service ends")


def test_a_kept_graph_runs_without_its_tests(service: Service) -> None:
    service.ask("PUT", "/graphs/kept", {"text": parts.with_files(graph("kept"), beside())})
    before = len(service.engine.jobs)
    assert service.ask("POST", "/graphs/kept/submit", {}).status_code == 202
    service.until("kept", "running")
    assert len(service.engine.jobs) == before + 1
    assert service.jobs.one("kept").run.graph == graph("kept")


def test_functions_that_are_allowed_come_with_the_draft(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    service, made = serve(rules=Rules(python=("mine",))), Command()
    monkeypatch.setattr(behind, "trials", Trials(made))
    text = graph(a={"type": "python", "function": "mine:f"})
    assert ask(service, beside(**{"mine.py": "f = abs"}), text).json()["ok"] is True
    assert made.files["mine.py"] == "f = abs"
