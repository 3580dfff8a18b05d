"""Bad records of each operator, kept with the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from despina.service import bad
from despina.service.bad import BadRecords
from support.processes import until
from support.service import Service


def record(operator: str, number: int, **more: Any) -> dict[str, Any]:
    return {"at_ms": number, "operator": operator, "instance": 0, "attempt": 1, "reason": f"no number {number}",
            "record": f'{{"n": "{number}"}}', "line": 3, "column": 5, "pointer": f"/operators/{operator}", **more}


def test_bad_records_are_told_by_operator_with_reason_record_place_and_attempt(serve: Callable[..., Service]) -> None:
    service = serve()
    service.submit()
    service.engine.named().bad = [record("a", 1), record("b.c", 2), record("a", 3, attempt=2)]
    until(lambda: service.ask("GET", "/jobs/numbers/errors?operator=b.c").json()["lines"], "bad records")
    found = service.ask("GET", "/jobs/numbers/errors?operator=a", role="view").json()
    assert found["lines"] == [
        {"at_ms": 1, "level": "warning", "source": "engine", "text": "no number 1", "operator": "a", "instance": 0, "attempt": 1,
         "record": '{"n": "1"}', "line": 3, "column": 5, "pointer": "/operators/a"},
        {"at_ms": 3, "level": "warning", "source": "engine", "text": "no number 3", "operator": "a", "instance": 0, "attempt": 2,
         "record": '{"n": "3"}', "line": 3, "column": 5, "pointer": "/operators/a"}]
    assert service.ask("GET", f"/jobs/numbers/errors?operator=a&after={found['next']}").json()["lines"] == []
    assert service.ask("GET", "/jobs/numbers/errors").json()["lines"] == []
    assert service.ask("GET", "/jobs/numbers/errors?operator=../log").json()["lines"] == []
    names = sorted(path.name for path in (service.jobs.one("numbers").run.folder / "records").iterdir())
    assert names == ["a.1.jsonl", "b%2Ec.1.jsonl"]
    service.close()
    assert len(serve().ask("GET", "/jobs/numbers/errors?operator=a").json()["lines"]) == 2


def test_the_last_thousand_are_kept_and_one_operator_takes_no_room_of_another(service: Service) -> None:
    service.submit()
    records = BadRecords(service.jobs.one("numbers").run.folder)
    records.add([record("quiet", 0)])
    text = "x" * 1000
    records.add(record("loud", number, record=text) for number in range(3000))
    lines = []
    place = ""
    while page := (told := records.log("loud").read(place))[0]:
        lines += page
        place = told[1]
    assert 1000 <= len(lines) <= 4 * bad.SEGMENT_BYTES // 1000
    assert lines[-1]["at_ms"] == 2999
    assert len(records.log("quiet").read()[0]) == 1


def test_each_attempt_that_failed_says_why(service: Service) -> None:
    service.submit()
    why = {"rule": "lost", "message": "resource a is gone", "hint": "look at its log", "operator": ""}
    service.engine.named().counters = {"restarts": 1, "last_restart": {"why": why}}
    until(lambda: service.ask("GET", "/jobs/numbers/errors").json()["lines"], "error")
    service.engine.become("done")
    service.until("numbers", "done")
    line, = service.ask("GET", "/jobs/numbers/errors").json()["lines"]
    assert (line["text"], line["attempt"], line["rule"]) == ("resource a is gone", 1, "lost")
    told = [each["text"] for each in service.ask("GET", "/jobs/numbers/log").json()["lines"] if each["level"] == "warning"]
    assert told == ["goes on after a loss (1): resource a is gone"]
