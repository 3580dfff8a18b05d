"""Some of the rows that come to an operator, for all who look."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from despina.errors import RefusedError
from despina.service.tails import FORGET_S, MOST, Tails
from support.service import Service


def rows(first: int, count: int) -> list[str]:
    return [json.dumps({"n": number}) for number in range(first, first + count)]


def test_all_viewers_see_the_rows_and_each_goes_on_at_its_place(service: Service) -> None:
    now = {"s": 100.0}
    service.submit()
    job = service.jobs.one("numbers")
    tails = Tails(lambda: now["s"])
    service.engine.named().tail = rows(0, 3)
    assert tails.read(job, "a", "", 0) == (rows(0, 3), 3)
    service.engine.named().tail = rows(3, 2)
    assert tails.read(job, "a", "", 0) == (rows(0, 3), 3), "the engine is asked now and then"
    now["s"] += 0.25
    assert tails.read(job, "a", "", 3) == (rows(3, 2), 5)
    assert tails.read(job, "a", "", 0) == (rows(0, 5), 5)
    assert tails.read(job, "a", "", 5) == ([], 5)
    assert tails.read(job, "a", "", 99) == ([], 5), "of another start"


def test_no_viewer_gets_more_than_fifty_rows_a_second(service: Service) -> None:
    now = {"s": 100.0}
    service.submit()
    job = service.jobs.one("numbers")
    tails = Tails(lambda: now["s"])
    seen = 0
    after = 0
    for _ in range(40):
        service.engine.named().tail = rows(0, 1000)
        found, after = tails.read(job, "a", "", after)
        seen += len(found)
        now["s"] += 0.25
    assert 400 <= seen <= 510


def test_ports_that_nobody_looks_at_are_forgotten(service: Service) -> None:
    now = {"s": 100.0}
    service.submit()
    job = service.jobs.one("numbers")
    tails = Tails(lambda: now["s"])
    for number in range(MOST):
        tails.read(job, f"o{number}", "", 0)
    with pytest.raises(RefusedError, match="64 ports are looked at"):
        tails.read(job, "one_more", "", 0)
    now["s"] += FORGET_S
    assert tails.read(job, "one_more", "", 0) == ([], 0)


def test_what_is_no_port_takes_no_place_of_one(service: Service) -> None:
    service.submit()
    job = service.jobs.one("numbers")
    tails = Tails(lambda: 100.0)
    for number in range(2 * MOST):
        service.engine.refuses = [RefusedError("operator", "no such operator")]
        with pytest.raises(RefusedError, match="no such operator"):
            tails.read(job, f"o{number}", "", 0)
    assert tails.read(job, "a", "", 0) == ([], 0)


def test_it_is_asked_over_the_interface_while_the_job_runs(service: Service) -> None:
    service.submit()
    service.engine.named().tail = rows(0, 2)
    found = service.ask("GET", "/jobs/numbers/tail/a?port=left", role="view")
    assert found.json() == {"rows": rows(0, 2), "next": 2}
    assert service.engine.named().told == [], "it is no command that somebody gave"
    service.engine.become("done")
    service.until("numbers", "done")
    refused = service.ask("GET", "/jobs/numbers/tail/a")
    assert (refused.status_code, "is done" in refused.text) == (422, True)


def test_the_command_prints_rows_until_there_are_enough(service: Service, url: str,
                                                        despina: Callable[..., tuple[int, str, str]]) -> None:
    service.submit()
    service.engine.named().tail = rows(0, 6)
    code, out, _ = despina("tail", "numbers", "a.left", "-n", "3", "--service", url)
    assert (code, out.splitlines()) == (0, rows(0, 3))


@pytest.mark.parametrize(("rule", "why"), [("state", "job numbers-1 is deploying, not running"),
                                           ("job_state", "the job numbers is starting")])
def test_the_command_waits_while_the_job_starts(service: Service, url: str, despina: Callable[..., tuple[int, str, str]],
                                                monkeypatch: pytest.MonkeyPatch, rule: str, why: str) -> None:
    service.submit()
    service.engine.named().tail = rows(0, 1)
    service.engine.refuses.append(RefusedError(rule, why, "ask again when it runs"))
    monkeypatch.setattr("despina.cli.tail.time", SimpleNamespace(sleep=lambda seconds: None))
    assert despina("tail", "numbers", "a", "-n", "1", "--service", url) == (0, f"{rows(0, 1)[0]}\n", "")
    assert service.engine.refuses == []


def test_the_command_ends_with_the_job(service: Service, url: str, despina: Callable[..., tuple[int, str, str]],
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    service.engine.named().tail = rows(0, 2)

    def ends(seconds: float) -> None:
        service.engine.become("done")
        service.until("numbers", "done")
    monkeypatch.setattr("despina.cli.tail.time", SimpleNamespace(sleep=ends))
    assert despina("tail", "numbers", "a", "--service", url)[:2] == (0, "".join(f"{row}\n" for row in rows(0, 2)))
    code, _, err = despina("tail", "numbers", "a", "--service", url)
    assert (code != 0, "numbers is done" in err) == (True, True)
