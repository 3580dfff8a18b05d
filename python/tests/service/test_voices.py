"""What processes of jobs write, in the logs of these jobs."""

from __future__ import annotations

from typing import Any

import pytest

from despina.service import voices
from despina.service.voices import MOST_PER_S, Voices
from support.processes import until
from support.service import Service, graph


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def said(service: Service, name: str = "numbers") -> list[dict[str, Any]]:
    return [line for line in service.ask("GET", f"/jobs/{name}/log").json()["lines"] if line["source"] == "process"]


def parts(line: dict[str, Any]) -> tuple[str, str, str, str]:
    return line["level"], line.get("operator", ""), line["resource"], line["text"]


OPERATORS: dict[str, Any] = {"readings": {"type": "relay"}, "cell": {"type": "python"}}


def heard(service: Service, clock: Clock | None = None) -> Voices:
    assert service.ask("POST", "/jobs", {"graph": graph(**OPERATORS)}).status_code == 202
    service.until("numbers", "running")
    return Voices(service.jobs.registry.every, clock or Clock())


def test_a_line_has_its_level_its_operator_and_its_resource(service: Service) -> None:
    found = heard(service)
    for line in ("[numbers_1] 08:01:02 WARNING readings: the server is away: trying again",
                 "[numbers_1__near] 08:01:02 SEVERE io.netty.Leak: a buffer", "[numbers_1] cell hello from the function",
                 "[numbers_1] java.lang.OutOfMemoryError: Java heap space"):
        found.take(line)
    assert list(map(parts, said(service))) == [
        ("warning", "readings", "numbers_1", "the server is away: trying again"),
        ("error", "", "numbers_1__near", "io.netty.Leak: a buffer"), ("info", "cell", "numbers_1", "hello from the function"),
        ("info", "", "numbers_1", "java.lang.OutOfMemoryError: Java heap space")]


def test_what_is_of_no_job_is_in_no_log(service: Service) -> None:
    found = heard(service)
    for line in ("[~ready-1] 08:01:02 WARNING a: b", "[numbers_2] later", "[numbers_11] other", "[numbers_1",
                 "despina: warning: of the coordinator"):
        found.take(line)
    assert said(service) == []


def test_a_process_of_several_jobs_speaks_in_the_logs_of_those_that_run(service: Service) -> None:
    for name in ("a", "b", "c"):
        service.submit(name, isolation="shared")
    service.submit("alone")
    found = Voices(service.jobs.registry.every)
    found.take("[shared] first")
    service.ask("POST", "/jobs/b/stop")
    service.until("b", "stopped")
    until(lambda: not service.jobs.one("b").active, "end of its thread")
    found.take("[shared] second")
    assert {name: [line["text"] for line in said(service, name)] for name in ("a", "b", "c", "alone")} == {
        "a": ["first", "second"], "b": ["first"], "c": ["first", "second"], "alone": []}


def test_a_job_that_says_too_much_is_cut_short_and_that_is_told(service: Service) -> None:
    clock = Clock()
    found = heard(service, clock)
    for number in range(MOST_PER_S + 7):
        found.take(f"[numbers_1] line {number}")
    clock.now = 1.0
    found.take("[numbers_1] later")
    assert [line["text"] for line in said(service)][-3:] == [f"line {MOST_PER_S - 1}", "… and 7 lines more", "later"]
    assert len(said(service)) == MOST_PER_S + 2


def test_whoever_speaks_does_not_wait(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voices, "MOST_WAITING", 3)
    found = heard(service)
    for number in range(10):
        found.hear(f"[numbers_1] line {number}")
    found.begin()
    until(lambda: len(said(service)) == 3, "lines that had room")
    found.hear("[numbers_1] later")
    found.close()
    assert [line["text"] for line in said(service)] == ["line 0", "line 1", "line 2", "later"]
