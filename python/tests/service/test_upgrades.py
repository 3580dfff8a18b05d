"""Another graph for a running job: what becomes of the one before, also when something fails or the service is killed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from despina.errors import Diagnostic, Place, RefusedError
from despina.service.store import Record
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


@pytest.mark.parametrize("step", ["drains", "starts", "comes_back", "withdrawn", "over"])
def test_a_service_that_is_killed_at_a_step_goes_on_as_the_folder_says(serve: Serve, step: str) -> None:
    service = serve()
    service.submit()
    upgrade(service, watch_s=60)
    until(lambda: phase(service) == "starts" and len(service.engine.jobs) == 2, "new graph")
    service.until("numbers", "running")
    service.kill()
    new, old = (service.folder / f"jobs/numbers/{run}/job.json" for run in (2, 1))
    _write(new, upgrade={**_read(new).upgrade, "phase": step, "watch_s": 0.05},     # type: ignore[dict-item]
           **({"real": "failed"} if step in ("comes_back", "withdrawn") else {"real": "submitted"} if step == "drains" else {}))
    wanted = "running" if step in ("drains", "withdrawn") else "stopped"
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
