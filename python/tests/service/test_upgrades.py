"""Another graph for a running job: what becomes of the one before, also when something fails or the service is killed."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from despina.errors import Diagnostic, Place, RefusedError
from despina.service.store import Record, Run
from despina.service.upgrades import fates
from support.processes import until
from support.service import Service, graph

Serve = Callable[..., Service]
NEW = graph(a={"type": "relay"})


def upgrade(service: Service, role: str = "operate", **body: Any) -> Any:
    return service.ask("POST", "/jobs/numbers/upgrade", {"graph": NEW, "watch_s": 0.05, **body}, role)


def phase(service: Service, run: int = 2) -> str:
    return str(service.ask("GET", f"/jobs/numbers?run={run}").json()["upgrade"]["phase"])


def test_the_new_graph_goes_on_from_a_savepoint_of_the_one_before(service: Service) -> None:
    service.submit(labels={"line": "1"}, parameters={"n": "5"})
    answer = upgrade(service, drop=["b"], rename={"x": "a"})
    assert (answer.status_code, answer.json()["run"], answer.json()["upgrade"]["from_run"]) == (202, 2, 1)
    until(lambda: phase(service) == "over", "end of the upgrade")
    found = service.ask("GET", "/jobs/numbers").json()
    assert (found["run"], found["state"], found["labels"]) == (2, "running", {"line": "1"})
    before = service.ask("GET", "/jobs/numbers?run=1").json()
    assert (before["state"], before["wanted"], before["reason"]) == ("stopped", "stopped", "run 2 has taken over")
    words = service.engine.named().words
    assert words["from"] == str(service.folder / "jobs/numbers/2/savepoint")
    assert words["state"] == str(service.folder / "jobs/numbers/2/state")
    assert (words["drop"], words["rename"], words["parameters"]) == (["b"], {"x": "a"}, {"n": "5"})
    assert words["supervised_since_ms"] == found["submitted_at_ms"]
    assert service.engine.named(0).told == ["drain"]
    assert not Path(words["from"]).exists(), "its state has it"
    events = [(line["what"], line["who"]) for line in service.ask("GET", "/events").json()["lines"]]
    assert ("upgrade", "operate1") in events
    assert service.ask("POST", "/jobs/numbers/stop").status_code == 202
    service.until("numbers", "stopped")
    service.ask("POST", "/jobs/numbers/start")
    service.until("numbers", "running")
    assert "from" not in service.engine.named().words


def test_one_that_fails_soon_gives_way_to_the_one_before(service: Service) -> None:
    service.submit()
    upgrade(service, watch_s=60)
    until(lambda: phase(service) == "starts" and len(service.engine.jobs) == 2, "new graph")
    refused = upgrade(service)
    assert (refused.status_code, "is being upgraded to run 2" in refused.text) == (409, True)
    assert service.ask("DELETE", "/jobs/numbers?run=1").status_code == 409
    service.engine.become("failed", rule="arithmetic", message="Division by zero")
    until(lambda: phase(service) == "withdrawn", "old graph that is back")
    found = service.until("numbers", "running")
    assert (found["run"], found["wanted"], found["starts"]) == (1, "running", 2)
    assert service.engine.named().words["state"] == str(service.folder / "jobs/numbers/1/state")
    new = service.ask("GET", "/jobs/numbers?run=2").json()
    assert (new["state"], new["reason"]) == ("failed", "Division by zero")
    assert "comes back: it is failed" in service.ask("GET", "/jobs/numbers/log?run=2").text
    again = upgrade(service)
    assert (again.status_code, again.json()["run"]) == (202, 3)
    until(lambda: phase(service, 3) == "over", "second upgrade")


def test_one_that_restarts_again_and_again_has_failed(service: Service) -> None:
    service.submit()
    upgrade(service, watch_s=0.3)
    until(lambda: len(service.engine.jobs) == 2, "new graph")
    service.engine.become("restarting")
    until(lambda: phase(service) == "withdrawn", "old graph that is back")
    assert service.engine.named(1).told == ["now"]
    assert service.until("numbers", "running")["run"] == 1


def test_one_that_never_runs_has_failed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    made = service.engine.run

    def restarting(*asked: Any) -> Any:
        found = made(*asked)
        service.engine.become("restarting")
        monkeypatch.undo()
        return found
    monkeypatch.setattr(service.engine, "run", restarting)
    upgrade(service)
    until(lambda: phase(service) == "withdrawn", "old graph that is back")
    assert service.until("numbers", "running")["run"] == 1
    reason = service.ask("GET", "/jobs/numbers?run=2").json()["reason"]
    assert reason == "run 1 comes back: it is restarting", "and not that the service ended"


def test_one_that_a_user_stops_while_the_other_is_to_come_back_stays_stopped(
        service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    upgrade(service, watch_s=0.3)
    until(lambda: len(service.engine.jobs) == 2, "new graph")
    ends = service.engine.stop

    def stopped(identifier: str, mode: str) -> None:
        assert service.ask("POST", "/jobs/numbers/stop").status_code == 202
        ends(identifier, mode)
    monkeypatch.setattr(service.engine, "stop", stopped)
    service.engine.become("restarting")
    until(lambda: phase(service) == "over", "end of the upgrade")
    assert service.until("numbers", "stopped")["run"] == 2
    assert len(service.engine.jobs) == 2


def test_nothing_comes_back_behind_a_later_run(service: Service) -> None:
    service.submit()
    upgrade(service)
    until(lambda: phase(service) == "over", "end of the upgrade")
    first, second = service.jobs.runs("numbers")
    assert service.jobs.taken_over(second, lambda: True)
    assert not service.jobs.taken_over(first, lambda: True)


def test_a_job_that_never_restarts_does_not_come_back_when_it_is_lost(service: Service) -> None:
    service.submit(restart="never")
    upgrade(service, watch_s=60)
    until(lambda: phase(service) == "starts" and len(service.engine.jobs) == 2, "new graph")
    service.until("numbers", "running")
    service.engine.die()
    until(lambda: phase(service) == "over", "end of the upgrade")
    found = service.ask("GET", "/jobs/numbers").json()
    assert (found["run"], found["state"]) == (2, "lost")


def test_a_disk_that_is_full_leaves_the_job_as_it_was(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    written = Run.write

    def full(run: Run, record: Record) -> None:
        if record.phase != "drains" and record.upgrade:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written(run, record)
    monkeypatch.setattr(Run, "write", full)
    upgrade(service)
    until(lambda: phase(service) == "withdrawn", "upgrade that is given up")
    found = service.until("numbers", "running")
    assert (found["run"], found["starts"]) == (1, 2)
    assert "No space left" in service.ask("GET", "/jobs/numbers?run=2").json()["reason"]
    assert not (service.folder / "jobs/numbers/2/savepoint").exists()
    assert service.ask("POST", "/jobs/numbers/stop").status_code == 202, "and it can be stopped and started"
    service.until("numbers", "stopped")
    assert service.ask("POST", "/jobs/numbers/start").status_code == 202


def test_the_one_before_comes_back_as_soon_as_the_disk_has_room(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    upgrade(service, watch_s=60)
    until(lambda: phase(service) == "starts" and len(service.engine.jobs) == 2, "new graph")
    monkeypatch.setattr("despina.service.upgrades.AGAIN_S", 0.01)
    written = Run.write
    tries: list[str] = []

    def full(run: Run, record: Record) -> None:
        if record.run == 1 and len(tries) < 3:
            tries.append(record.wanted)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written(run, record)
    monkeypatch.setattr(Run, "write", full)
    service.engine.become("failed", rule="arithmetic", message="Division by zero")
    until(lambda: phase(service) == "withdrawn", "old graph that is back")
    assert service.until("numbers", "running")["run"] == 1
    assert tries == ["running"] * 3


def test_old_runs_go_with_upgrades_too(serve: Serve) -> None:
    service = serve(keep=2)
    service.submit()
    for run in (2, 3, 4):
        assert upgrade(service).json()["run"] == run
        until(lambda run=run: phase(service, run) == "over", "end of the upgrade")     # type: ignore[misc]
        service.until("numbers", "running")
    assert [job.record.run for job in service.jobs.runs("numbers")] == [3, 4]
    assert sorted(path.name for path in (service.folder / "jobs/numbers").iterdir()) == ["3", "4"]


def test_one_that_a_user_stops_stays_stopped(service: Service) -> None:
    service.submit()
    upgrade(service, watch_s=60)
    until(lambda: phase(service) == "starts" and len(service.engine.jobs) == 2, "new graph")
    service.until("numbers", "running")
    service.ask("POST", "/jobs/numbers/stop")
    until(lambda: phase(service) == "over", "end of the upgrade")
    assert service.until("numbers", "stopped")["run"] == 2
    assert len(service.engine.jobs) == 2


@pytest.mark.parametrize("how", ["refused", "unsaved"])
def test_without_a_savepoint_the_one_before_goes_on(service: Service, how: str) -> None:
    service.submit()
    if how == "refused":
        service.engine.refuses = [RefusedError("savepoint", "another one is being written")]
    service.engine.unsaved = True
    upgrade(service)
    until(lambda: phase(service) == "withdrawn", "upgrade that is given up")
    new = service.ask("GET", "/jobs/numbers?run=2").json()
    assert new["state"] == "failed"
    assert ("another one is being written" if how == "refused" else "without a savepoint") in new["reason"]
    found = service.until("numbers", "running")
    assert (found["run"], found["starts"]) == (1, 1 if how == "refused" else 2)


def test_a_job_that_is_stopped_while_it_drains_stays_stopped(service: Service) -> None:
    service.submit()
    service.engine.stubborn = True
    upgrade(service)
    until(lambda: service.engine.named().told, "stop of the engine")
    assert phase(service) == "drains"
    assert service.ask("GET", "/jobs/numbers").json()["run"] == 1, "it is the job until the other takes over"
    service.ask("POST", "/jobs/numbers/stop", {"mode": "now"})
    until(lambda: phase(service) == "withdrawn", "upgrade that is given up")
    assert service.until("numbers", "stopped")["wanted"] == "stopped"
    assert len(service.engine.jobs) == 1


@pytest.mark.parametrize("stops", [False, True])
def test_between_its_two_runs_a_job_has_not_ended_and_can_be_stopped(
        service: Service, monkeypatch: pytest.MonkeyPatch, stops: bool) -> None:
    service.submit()
    real, waits, goes_on = service.jobs.taken_over, threading.Event(), threading.Event()

    def held(*step: Any) -> bool:
        waits.set()
        assert goes_on.wait(10)
        return real(*step)
    monkeypatch.setattr(service.jobs, "taken_over", held)
    upgrade(service)
    assert waits.wait(10)
    between = service.ask("GET", "/jobs/numbers").json()
    assert (between["run"], between["state"], between["reason"]) == (1, "restarting", "it is upgraded to run 2")
    if stops:
        service.ask("POST", "/jobs/numbers/stop")
    goes_on.set()
    until(lambda: phase(service) == ("withdrawn" if stops else "over"), "end of the upgrade")
    found = service.ask("GET", "/jobs/numbers").json()
    assert (found["run"], found["state"], len(service.engine.jobs)) == ((1, "stopped", 1) if stops else (2, "running", 2))


def test_a_job_without_a_state_begins_anew(service: Service) -> None:
    service.submit(restart="from_start")
    upgrade(service)
    until(lambda: phase(service) == "over", "end of the upgrade")
    assert "from" not in service.engine.named().words
    assert "state" not in service.engine.named().words
    assert service.engine.wishes == []


def test_a_dry_run_says_what_would_become_of_each_operator(service: Service) -> None:
    old = graph(a={"type": "relay"}, b={"type": "relay"}, c={"type": "filter", "where": "x"}, d={"type": "relay"})
    assert service.ask("POST", "/jobs", {"graph": old}).status_code == 202
    service.until("numbers", "running")
    service.engine.states = [{"operator": "c", "fate": "kept", "words": "`c` goes on"},
                             {"operator": "b", "fate": "dropped", "words": "`b` is dropped"}]
    body = {"graph": graph(a={"type": "relay"}, c={"type": "filter", "where": "y"}, e={"type": "relay"}, new={"type": "relay"}),
            "drop": ["b"], "rename": {"d": "e"}}
    found = service.ask("POST", "/jobs/numbers/dry_run", body, "operate")
    assert found.json() == {"from_state": "epoch 7", "operators": [
        {"operator": "a", "change": "kept", "state": "", "words": ""},
        {"operator": "c", "change": "changed", "state": "kept", "words": "`c` goes on"},
        {"operator": "e", "change": "kept", "state": "", "words": ""},
        {"operator": "new", "change": "new", "state": "", "words": ""},
        {"operator": "b", "change": "gone", "state": "dropped", "words": "`b` is dropped"}]}
    assert service.engine.wishes[0]["drop"] == ["b"]
    assert service.ask("POST", "/jobs/numbers/dry_run", body, "view").status_code == 403
    assert service.ask("POST", "/jobs/other/dry_run", body).status_code == 404
    service.engine.unfit = (Diagnostic("state", "`b` is gone, with 5 groups", hint="--drop b", place=Place("g", 1, 1)),)
    for path in ("dry_run", "upgrade"):
        refused = service.ask("POST", f"/jobs/numbers/{path}", {**body, "drop": []})
        assert (refused.status_code, refused.json()["diagnostics"][0]["hint"]) == (422, "--drop b")
    assert len(service.jobs.runs("numbers")) == 1


def test_without_an_epoch_nothing_is_judged_but_what_has_one_must_be(service: Service) -> None:
    service.submit()
    service.engine.stateless = RefusedError("state", "the folder has no state of graph `numbers`")
    assert service.ask("POST", "/jobs/numbers/dry_run", {"graph": NEW}).json()["from_state"] == ""
    service.engine.named().counters = {"epoch": {"complete": 3}}
    until(lambda: (service.jobs.one("numbers").status(0.0) or {}).get("epoch"), "epoch")
    refused = upgrade(service)
    assert (refused.status_code, "no state of graph" in refused.text) == (422, True)


def test_an_epoch_that_is_made_while_one_looks_is_judged_too(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    real, calls = service.engine.dry_run, []

    def first(*asked: Any) -> Any:
        calls.append(asked)
        if len(calls) == 1:
            service.engine.named().counters = {"epoch": {"complete": 1}}
            raise RefusedError("state", "the state of graph `numbers` has no whole epoch")
        return real(*asked)
    monkeypatch.setattr(service.engine, "dry_run", first)
    assert service.ask("POST", "/jobs/numbers/dry_run", {"graph": NEW}).json()["from_state"] != ""
    assert len(calls) == 2


def test_states_of_operators_that_neither_graph_has_are_told(service: Service) -> None:
    found = list(fates(graph(), graph(), [{"operator": "behind_a", "fate": "dropped", "words": "w"}], {}))
    assert [(each.operator, each.change, each.state) for each in found] == [("behind_a", "gone", "dropped")]


def test_the_same_key_is_the_same_upgrade(service: Service) -> None:
    service.submit()
    body = {"graph": NEW, "watch_s": 0.05}
    first = service.ask("POST", "/jobs/numbers/upgrade", body, idempotency_key="k")
    assert first.status_code == 202
    again = service.ask("POST", "/jobs/numbers/upgrade", body, idempotency_key="k")
    assert (again.status_code, again.json()["run"]) == (200, 2)
    until(lambda: phase(service) == "over", "end of the upgrade")


def test_what_does_not_run_cannot_be_upgraded(service: Service) -> None:
    service.submit()
    service.ask("POST", "/jobs/numbers/stop")
    service.until("numbers", "stopped")
    refused = upgrade(service)
    assert (refused.status_code, "despina start numbers" in refused.text) == (409, True)
    assert upgrade(service, "view").status_code == 403


@pytest.mark.parametrize("step", ["drains", "starts", "comes_back", "is back", "withdrawn", "over"])
def test_a_service_that_is_killed_at_a_step_goes_on_as_the_folder_says(serve: Serve, step: str) -> None:
    service = serve()
    service.submit()
    upgrade(service, watch_s=60)
    until(lambda: phase(service) == "starts" and len(service.engine.jobs) == 2, "new graph")
    service.until("numbers", "running")
    service.kill()
    new, old = (service.folder / f"jobs/numbers/{run}/job.json" for run in (2, 1))
    written = "comes_back" if step == "is back" else step
    _write(new, upgrade={**_read(new).upgrade, "phase": written, "watch_s": 0.05},     # type: ignore[dict-item]
           **({"real": "submitted"} if step == "drains" else {} if step in ("starts", "over") else {"real": "failed"}))
    wanted = "running" if step in ("drains", "is back", "withdrawn") else "stopped"
    _write(old, wanted=wanted, real="stopped" if step == "comes_back" else "running" if wanted == "running" else "stopped")
    back = serve()
    found = back.until("numbers", "running")
    assert found["run"] == (2 if step in ("starts", "over") else 1)
    until(lambda: phase(back) == ("over" if step in ("starts", "over") else "withdrawn"), "end of the upgrade")
    assert len(back.engine.jobs) == 1
    other = back.ask("GET", f"/jobs/numbers?run={1 if found['run'] == 2 else 2}").json()
    assert other["state"] in ("stopped", "failed")


def _read(path: Path) -> Record:
    return Record.parse(path.read_text(), path)


def _write(path: Path, **changes: Any) -> None:
    from despina.service.store import _text_of
    path.write_text(_text_of(_read(path).with_changes(**changes)))


def test_a_service_that_ends_in_order_meanwhile_goes_on_with_the_new_graph(serve: Serve) -> None:
    service = serve()
    service.submit()
    upgrade(service, watch_s=60)
    until(lambda: phase(service) == "starts" and len(service.engine.jobs) == 2, "new graph")
    service.until("numbers", "running")
    service.close()
    back = serve()
    assert back.until("numbers", "running")["run"] == 2
    assert phase(back) == "starts"
    assert "run 1 comes back" not in back.ask("GET", "/jobs/numbers/log").text
