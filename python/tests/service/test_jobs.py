"""What becomes of jobs: as they are asked for, and when the coordinator or the service is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from despina.backoff import Backoff
from despina.errors import Diagnostic, RefusedError, StartError
from despina.service import again, durable, registry
from despina.service.journal import placed
from despina.service.store import Record, Store
from despina.service.submission import PLAIN, isolated, resource_prefix
from support.processes import until
from support.service import Service, graph

Serve = Callable[..., Service]


def test_a_submitted_job_runs_in_a_process_of_its_own_from_its_own_folder(service: Service) -> None:
    service.submit()
    words = service.engine.named().words
    assert json.loads(words["deployment_text"])["resources"] == {"numbers_1": {"start": "child"}}
    folder = service.folder / "jobs/numbers/1"
    assert words["directory"] == str(folder / "files")
    assert words["state"] == str(folder / "state")


def test_what_goes_wrong_in_a_part_has_its_place_in_what_was_submitted(service: Service) -> None:
    service.engine.whole = {"u_read": {"type": "relay"}}
    service.engine.places = {"/operators/u_read": {"line": 3, "column": 5, "pointer": "/operators/u"}}
    service.submit(graph=json.dumps({**json.loads(graph()), "parts": {}}))
    job = service.engine.named()
    bad = {"at_ms": 1, "operator": "u_read", "instance": 0, "attempt": 1, "reason": "no number", "record": "x"}
    job.bad = [{**bad, "line": 40, "column": 7, "pointer": "/operators/u_read/path"}]
    service.engine.become("failed", rule="job", message="no more", operator="u_read", line=40, column=2, file="numbers")
    error = service.until("numbers", "failed")["error"]
    assert (error["line"], error["column"], error["pointer"]) == (3, 5, "/operators/u")
    told, = service.ask("GET", "/jobs/numbers/errors?operator=u_read").json()["lines"]
    assert (told["line"], told["column"], told["pointer"]) == (3, 5, "/operators/u")
    assert placed({"pointer": "/links/0", "line": 9}, service.engine.places) == {"pointer": "", "line": 0, "column": 0}
    assert placed({"pointer": "/links/0", "line": 9}, {}) == {"pointer": "/links/0", "line": 9}


def test_a_graph_is_kept_without_its_parts_and_judged_by_what_is_in_them(service: Service) -> None:
    sent = json.dumps({**json.loads(graph(u={"type": "part", "part": "p"})), "parts": {"p": {"type": "file", "path": "p.json"}}})
    files = "\x1e" + json.dumps({"p.json": {"text": "{}"}})
    service.engine.whole = {"u_read": {"type": "file_source", "path": "/etc/shadow"}}
    refused = service.ask("POST", "/jobs", {"graph": sent + files})
    assert refused.json()["diagnostics"][0]["pointer"] == "/operators/u_read/path"
    service.engine.whole = {"u_read": {"type": "relay"}}
    assert json.loads(service.ask("POST", "/check", {"graph": sent + files}).json()["whole"])["operators"] == service.engine.whole
    service.submit(graph=sent + files)
    for _ in range(2):
        again = service.ask("POST", "/jobs", {"graph": sent + files, "name": "keyed"}, idempotency_key="k")
    assert (again.status_code, again.json()["name"]) == (200, "keyed"), "what was sent is the same, not what is kept"
    assert service.engine.checked[-1][0] == sent + files
    assert json.loads((service.folder / "jobs/numbers/1/graph.json").read_text())["operators"] == service.engine.whole


def test_parts_whose_name_is_written_with_escapes_are_parts(service: Service) -> None:
    sent = json.dumps({**json.loads(graph(u={"type": "part", "part": "p"})), "parts": {}}).replace('"parts"', r'"p\u0061rts"')
    service.engine.whole = {"u_read": {"type": "file_source", "path": "/etc/shadow"}}
    refused = service.ask("POST", "/jobs", {"graph": sent})
    assert refused.json()["diagnostics"][0]["pointer"] == "/operators/u_read/path"


def test_a_graph_with_parts_that_is_sent_twice_is_one_job(service: Service) -> None:
    sent = json.dumps({**json.loads(graph(u={"type": "part", "part": "p"})), "parts": {}})
    answers = [service.ask("POST", "/jobs", {"graph": sent}, idempotency_key="k") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 200]


def test_a_job_that_is_done_says_so_and_keeps_its_report(service: Service) -> None:
    service.submit()
    service.engine.become("done")
    found = service.until("numbers", "done")
    assert found["wanted"] == "running"
    assert service.ask("GET", "/jobs/numbers/report").json()["state"] == "done"


def test_a_job_that_fails_has_its_error_in_the_answer_and_in_the_list_of_errors(service: Service) -> None:
    service.submit()
    service.engine.become("failed", rule="arithmetic", message="Division by zero", hint="try_divide", operator="ratio")
    found = service.until("numbers", "failed")
    assert found["reason"] == "Division by zero"
    assert found["error"]["operator"] == "ratio"
    line, = service.ask("GET", "/jobs/numbers/errors").json()["lines"]
    assert (line["text"], line["operator"], line["rule"]) == ("Division by zero", "ratio", "arithmetic")


def test_what_the_console_prints_is_in_the_log_which_goes_on_at_its_place(service: Service) -> None:
    service.submit()
    service.engine.named().lines.append("one")
    until(lambda: "one" in service.ask("GET", "/jobs/numbers/log").text, "line of the console")
    first = service.ask("GET", "/jobs/numbers/log").json()
    assert [line["text"] for line in first["lines"] if line["source"] == "console"] == ["one"]
    service.engine.named().lines.append("two")
    more = until(lambda: service.ask("GET", f"/jobs/numbers/log?after={first['next']}").json()["lines"], "next line")
    assert [line["text"] for line in more] == ["two"]


def test_a_name_is_that_of_one_job_until_it_has_ended(service: Service) -> None:
    service.submit()
    refused = service.ask("POST", "/jobs", {"graph": graph()})
    assert refused.status_code == 409
    assert "numbers is running" in refused.text
    service.engine.become("done")
    service.until("numbers", "done")
    assert service.submit()["run"] == 2


def test_the_same_key_is_the_same_job_also_after_a_loss_of_the_service(serve: Serve) -> None:
    service = serve()
    body = {"graph": graph()}
    assert service.ask("POST", "/jobs", body, idempotency_key="k").status_code == 202
    assert service.ask("POST", "/jobs", body, idempotency_key="k").status_code == 200
    service.kill()
    back = serve()
    again = back.ask("POST", "/jobs", body, idempotency_key="k")
    assert (again.status_code, again.json()["run"]) == (200, 1)
    other = back.ask("POST", "/jobs", {"graph": graph("other")}, idempotency_key="k")
    assert (other.status_code, other.json()["diagnostics"][0]["rule"]) == (409, "idempotency_key")


def test_a_graph_that_does_not_pass_check_leaves_nothing(service: Service) -> None:
    service.engine.found = (Diagnostic("unknown_type", "no operator relya", hint="relay?", pointer="/operators/a"),)
    refused = service.ask("POST", "/jobs", {"graph": graph()})
    assert refused.status_code == 422
    assert refused.json()["diagnostics"][0]["hint"] == "relay?"
    assert service.ask("GET", "/jobs").json() == {"jobs": []}


def test_stop_drains_and_start_goes_on_with_the_same_run(service: Service) -> None:
    service.submit()
    assert service.ask("POST", "/jobs/numbers/stop").status_code == 202
    stopped = service.until("numbers", "stopped")
    assert (stopped["wanted"], service.engine.named().told) == ("stopped", ["drain"])
    assert service.ask("POST", "/jobs/numbers/start").status_code == 202
    found = service.until("numbers", "running")
    assert (found["run"], found["starts"], found["wanted"]) == (1, 2, "running")
    assert service.engine.named().words["state"] == service.engine.named(0).words["state"]


def test_a_job_that_does_not_drain_in_its_time_is_ended_at_once(service: Service) -> None:
    service.submit()
    service.engine.stubborn = True
    service.ask("POST", "/jobs/numbers/stop", {"mode": "drain", "limit_s": 0.05})
    service.until("numbers", "stopped")
    assert service.engine.named().told[-1] == "now"


def test_now_ends_a_job_that_does_not_drain(service: Service) -> None:
    service.submit()
    service.engine.stubborn = True
    service.ask("POST", "/jobs/numbers/stop", {"limit_s": 1000})
    until(lambda: service.engine.named().told == ["drain"], "drain")
    service.ask("POST", "/jobs/numbers/stop", {"mode": "now"})
    service.until("numbers", "stopped")


def test_a_job_that_is_done_is_not_started_again_but_from_its_start(service: Service) -> None:
    service.submit()
    service.engine.become("done")
    service.until("numbers", "done")
    assert service.ask("POST", "/jobs/numbers/start").status_code == 409
    service.ask("POST", "/jobs/numbers/start", {"from_start": True})
    service.until("numbers", "running")
    assert service.engine.named().words["from_start"] is True


def test_a_job_goes_on_when_the_coordinator_was_lost(service: Service) -> None:
    service.submit()
    first = service.engine
    first.die()
    until(lambda: len(service.engines) > 1 and service.engines[1].jobs, "job in the next coordinator")
    found = service.until("numbers", "running")
    assert (found["run"], found["starts"]) == (1, 2)
    assert service.engine.named().words["state"] == first.named().words["state"]
    assert any("lost" in line["text"] for line in service.ask("GET", "/jobs/numbers/log").json()["lines"])


def test_a_job_that_never_restarts_is_lost_with_the_coordinator(service: Service) -> None:
    service.submit(restart="never")
    assert "state" not in service.engine.named().words
    service.engine.die()
    assert "gone" in service.until("numbers", "lost")["reason"]


def test_a_job_waits_for_the_processes_of_its_start_before(service: Service) -> None:
    service.submit()
    service.ask("POST", "/jobs/numbers/stop")
    service.until("numbers", "stopped")
    service.engine.refuses = [RefusedError("state_in_use", "process 7 has it")]
    service.ask("POST", "/jobs/numbers/start")
    service.until("numbers", "running")
    assert service.engine.refuses == []


def waiting(service: Service) -> None:
    """A job whose state another process has for as long as that is asked."""
    service.submit()
    service.ask("POST", "/jobs/numbers/stop")
    service.until("numbers", "stopped")
    service.engine.refuses = [RefusedError("state_in_use", "process 7 has it") for _ in range(1000)]
    service.ask("POST", "/jobs/numbers/start")
    assert service.until("numbers", "restarting")["reason"] == "process 7 has it"


def test_a_try_that_finds_its_state_in_use_is_no_start(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting(service)
    monkeypatch.setattr(again, "FREED_LOOK_S", 0.01)
    until(lambda: len(service.engine.refuses) < 995, "more tries")
    service.engine.refuses.clear()
    assert service.until("numbers", "running")["starts"] == 2


def test_the_wait_for_a_state_begins_anew_after_each_loss() -> None:
    tried = again.Again(Backoff())
    assert tried.freed_s(0.0)
    assert tried.freed_s(again.FREED_S + 1) is None
    tried.ran()
    assert tried.freed_s(again.FREED_S + 1)


def test_a_job_that_is_stopped_while_it_waits_for_its_state_is_stopped(service: Service) -> None:
    waiting(service)
    service.ask("POST", "/jobs/numbers/stop")
    found = service.until("numbers", "stopped")
    assert (found["wanted"], found["error"]) == ("stopped", None)


def test_a_job_that_waits_for_its_state_while_the_service_ends_goes_on(serve: Serve) -> None:
    service = serve()
    waiting(service)
    service.close()
    record = service.jobs.one("numbers").record
    assert (record.real, record.by_service, record.wanted) == ("stopped", True, "running")
    serve().until("numbers", "running")


def test_a_call_that_fails_because_the_engine_has_died_is_a_loss(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    first = service.engine

    def broken(identifier: str, millis: int) -> dict[str, object]:
        first.die()
        raise StartError("engine_call", "the answer did not come")
    monkeypatch.setattr(first, "wait", broken)
    until(lambda: len(service.engines) > 1 and service.engines[1].jobs, "job in the next coordinator")
    assert service.until("numbers", "running")["starts"] == 2


def test_a_job_that_is_not_watched_any_more_does_not_run_on(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()

    def broken(identifier: str) -> tuple[list[str], list[dict[str, object]]]:
        raise RefusedError("job", "no such job")
    monkeypatch.setattr(service.engine, "printed", broken)
    service.until("numbers", "failed")
    assert service.engine.named().told == ["now"]


def test_a_report_that_does_not_come_leaves_the_job_as_it_ended(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(identifier: str) -> dict[str, object]:
        raise StartError("engine_call", "the answer did not come")
    service.submit()
    monkeypatch.setattr(service.engine, "report", broken)
    service.engine.become("done")
    assert service.until("numbers", "done")["error"] is None


def test_a_job_whose_state_has_ended_is_done(service: Service) -> None:
    service.submit()
    service.ask("POST", "/jobs/numbers/stop")
    service.until("numbers", "stopped")
    service.engine.refuses = [RefusedError("state_ended", "the job has ended: epoch 3")]
    service.ask("POST", "/jobs/numbers/start")
    assert service.until("numbers", "done")["reason"].startswith("the job has ended")


@pytest.mark.parametrize(("restart", "state"), [("resume", "running"), ("from_start", "running"), ("never", "lost")])
def test_after_a_loss_of_the_service_a_job_goes_on_as_it_says(serve: Serve, restart: str, state: str) -> None:
    service = serve()
    service.submit(restart=restart)
    service.kill()
    back = serve()
    found = back.until("numbers", state)
    assert found["run"] == 1
    assert len(back.engine.jobs) == (state == "running")
    if state == "lost":
        assert found["reason"] == "the service was lost while it ran"


def test_a_job_that_was_to_be_stopped_does_not_go_on(serve: Serve) -> None:
    service = serve()
    service.submit()
    service.engine.stubborn = True
    service.ask("POST", "/jobs/numbers/stop", {"limit_s": 1000})
    service.kill()
    assert serve().until("numbers", "lost")["wanted"] == "stopped"


def test_a_service_that_ends_in_order_drains_its_jobs_which_then_go_on(serve: Serve) -> None:
    service = serve()
    service.submit()
    service.submit("once", restart="never")
    engine = service.engine
    service.close()
    assert [job.told for job in engine.jobs.values()] == [["drain"], ["drain"]]
    back = serve()
    back.until("numbers", "running")
    found = back.until("once", "stopped")
    assert (found["wanted"], found["reason"]) == ("running", "the service ended")


def test_what_has_ended_stays_as_it_was(serve: Serve) -> None:
    service = serve()
    service.submit()
    service.engine.become("done")
    before = service.until("numbers", "done")
    service.kill()
    back = serve()
    after = back.ask("GET", "/jobs/numbers").json()
    assert {**after, "status": None} == {**before, "status": None}
    assert not back.engine.jobs


def test_runs_that_are_too_many_go_and_the_last_stay(serve: Serve) -> None:
    service = serve(keep=2)
    for _ in range(4):
        service.submit()
        service.engine.become("done")
        service.until("numbers", "done")
    assert [job["run"] for job in service.ask("GET", "/jobs/numbers/runs").json()["jobs"]] == [3, 4]
    assert sorted(path.name for path in (service.folder / "jobs/numbers").iterdir()) == ["3", "4"]


def test_old_runs_go_and_the_last_of_a_name_stays(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    service = serve()
    for _ in range(2):
        service.submit()
        service.engine.become("done")
        service.until("numbers", "done")
    service.kill()
    monkeypatch.setattr(registry, "KEPT_DAYS", -1)
    assert [job["run"] for job in serve().ask("GET", "/jobs/numbers/runs").json()["jobs"]] == [2]


def test_an_old_run_that_cannot_be_removed_does_not_fail_a_submission(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    service = serve(keep=1)
    service.submit()
    service.engine.become("done")
    service.until("numbers", "done")

    def broken(*_: object) -> Path:
        raise OSError(5, "Input/output error")
    with monkeypatch.context() as patched:
        patched.setattr(service.store, "hide", broken)
        assert service.submit()["run"] == 2
    assert "run 1 cannot be removed" in service.ask("GET", "/jobs/numbers/log").text
    service.engine.become("done")
    service.until("numbers", "done")
    service.submit()
    assert [job["run"] for job in service.ask("GET", "/jobs/numbers/runs").json()["jobs"]] == [3]


def test_other_jobs_are_asked_while_a_large_one_is_removed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    service.engine.become("done")
    service.until("numbers", "done")
    asked: list[int] = []

    def slow(folder: Path) -> None:
        asked.append(service.ask("GET", "/jobs/numbers").status_code)
        asked.append(service.jobs.registry.lock.locked())
    monkeypatch.setattr(service.store, "clear", slow)
    service.jobs.remove("numbers")
    assert asked == [404, False]


def test_a_run_that_is_not_the_last_is_not_stopped(service: Service) -> None:
    service.submit()
    service.engine.become("done")
    service.until("numbers", "done")
    service.submit()
    refused = service.ask("POST", "/jobs/numbers/stop?run=1")
    assert (refused.status_code, refused.json()["diagnostics"][0]["rule"]) == (409, "run")
    assert service.ask("POST", "/jobs/numbers/stop?run=3").status_code == 404
    assert service.engine.named().told == []
    assert service.ask("POST", "/jobs/numbers/stop?run=2").status_code == 202
    service.until("numbers", "stopped")


def test_remove_wants_the_end_and_takes_all_of_it(service: Service) -> None:
    service.submit()
    assert service.ask("DELETE", "/jobs/numbers").status_code == 409
    service.engine.become("done")
    service.until("numbers", "done")
    assert service.ask("DELETE", "/jobs/numbers").status_code == 204
    assert service.ask("GET", "/jobs/numbers").status_code == 404
    assert list((service.folder / "jobs/numbers").iterdir()) == []


def test_a_second_service_on_the_folder_is_refused_by_name(service: Service) -> None:
    with pytest.raises(StartError, match=r"the service at http://127.0.0.1:7600, process \d+ on .* has the folder"):
        Store.open(service.folder)


def test_a_folder_of_another_layout_is_refused(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    (tmp_path / "service.json").write_text('{"layout": 2}')
    with pytest.raises(RefusedError, match="layout=2, and this Despina reads layout 1"):
        Store.open(tmp_path)


def test_a_damaged_record_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as raised:
        Record.parse('{"layout": 1, "name"', tmp_path / "job.json")
    assert str(tmp_path / "job.json") in str(raised.value)


def test_what_was_half_made_or_half_removed_is_cleared(serve: Serve) -> None:
    service = serve()
    service.submit()
    service.kill()
    for name in (".2.making", ".3.removed"):
        (service.folder / "jobs/numbers" / name).mkdir()
    back = serve()
    assert sorted(path.name for path in (back.folder / "jobs/numbers").iterdir()) == ["1"]


def test_a_full_disk_refuses_a_submission_and_leaves_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")
    with monkeypatch.context() as patched:
        patched.setattr("despina.service.durable.write_new", full)
        refused = service.ask("POST", "/jobs", {"graph": graph()})
    assert (refused.status_code, refused.json()["diagnostics"][0]["rule"]) == (507, "disk")
    assert service.ask("GET", "/jobs").json() == {"jobs": []}
    assert service.submit()["run"] == 1


class Disk:
    """Takes so many writes, and then none until it is mended."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.left = 1 << 30
        for name in ("write_new", "sync"):
            real = getattr(durable, name)
            patch.setattr(durable, name, lambda *given, real=real: self._take(real, *given))

    def _take(self, real: Callable[..., None], *given: object) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(28, "No space left on device")
        real(*given)


@pytest.mark.parametrize("is_killed", [False, True])
def test_wherever_a_disk_fails_a_submission_is_there_as_a_whole_or_not_at_all(serve: Serve, monkeypatch: pytest.MonkeyPatch,
                                                                              is_killed: bool) -> None:
    service = serve()
    disk = Disk(monkeypatch)
    answered, point = 0, 0
    while answered != 202:
        name = f"j{point}"
        assert service.engine.alive()
        disk.left = point
        answered = service.ask("POST", "/jobs", {"graph": graph(name)}).status_code
        if is_killed:
            service.kill()
        disk.left = 1 << 30
        if is_killed:
            service = serve()
        names = [job.record.name for job in service.jobs.all()]
        assert (name in names) == (answered == 202), (point, answered)
        assert answered in (202, 507)
        if answered == 507:
            assert service.submit(name)["run"] == 1, "the same again"
        point += 1
    assert point > 5


def test_a_full_disk_does_not_end_a_job_that_runs(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")
    service.submit()
    with monkeypatch.context() as patched:
        patched.setattr("despina.service.durable.write_new", full)
        assert service.ask("POST", "/jobs/numbers/stop").status_code == 507
        service.engine.become("draining")
        service.until("numbers", "draining")
    service.engine.become("done")
    service.until("numbers", "done")


def test_a_deployment_of_spark_is_refused_in_words(service: Service) -> None:
    for deployment, words in (({"format": 1, "resources": {"a": {"start": "executor"}}}, "executor of Spark"),
                              ({"format": 1, "resources": {"a": {}}, "place": {"model": ["spark"]}}, "placed on Spark")):
        refused = service.ask("POST", "/jobs", {"graph": graph(), "deployment": json.dumps(deployment)})
        assert refused.status_code == 422
        assert words in refused.text


def test_children_of_a_deployment_have_names_of_the_run_and_those_that_join_keep_theirs() -> None:
    found = json.loads(isolated(json.dumps({"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "join"}},
                                            "place": {"a": ["near"], "*": ["far"]}}), "hot_2"))
    assert found == {"format": 1, "resources": {"hot_2__near": {"start": "child"}, "far": {"start": "join"}},
                     "place": {"a": ["hot_2__near"], "*": ["far"]}}


def test_children_alike_keep_their_numbers() -> None:
    found = json.loads(isolated(json.dumps({"format": 1, "resources": {"worker": {"count": 2}},
                                            "place": {"a": ["worker-1"], "b": ["worker"], "*": ["@edge"]}}), "hot_2"))
    assert found["place"] == {"a": ["hot_2__worker-1"], "b": ["hot_2__worker"], "*": ["@edge"]}


def test_what_is_said_of_children_names_them_as_the_run_does() -> None:
    found = json.loads(isolated(json.dumps({"format": 1, "resources": {"worker": {"count": 2}, "far": {"start": "join"}},
                                            "network": [{"between": ["worker", "far"], "mbit_per_s": 10}],
                                            "placing": {"type": "measured", "measured_on": "worker-1"}}), "hot_2"))
    assert found["network"] == [{"between": ["hot_2__worker", "far"], "mbit_per_s": 10}]
    assert found["placing"] == {"type": "measured", "measured_on": "hot_2__worker-1"}


def test_names_of_resources_differ_where_those_of_jobs_do() -> None:
    names = ["hot", "Hot", "hot.1", "hot_1", "hot-1", "hot__1", "1"]
    prefixes = [resource_prefix(name, run) for name in names for run in (1, 11)]
    assert len(set(prefixes)) == len(prefixes)
    assert all(PLAIN.fullmatch(prefix) for prefix in prefixes)


def test_a_job_that_does_not_fit_into_the_memory_is_refused_with_the_numbers(serve: Serve) -> None:
    service = serve(memory_bytes=1_500_000_000)
    service.submit("one")
    service.submit("two")
    refused = service.ask("POST", "/jobs", {"graph": graph("three")})
    told = refused.json()["diagnostics"][0]
    assert (refused.status_code, told["rule"]) == (409, "memory")
    assert told["message"] == ("the job three may take 600 MB, and 300 MB of 1,500 MB are free; taken: one 600 MB, two 600 MB")
    found = service.ask("GET", "/service").json()
    assert (found["memory_bytes"], found["memory_taken_bytes"]) == (1_500_000_000, 1_200_000_000)
    service.ask("POST", "/jobs/one/stop")
    service.until("one", "stopped")
    service.submit("three")
    assert service.ask("POST", "/jobs/one/start").json()["diagnostics"][0]["rule"] == "memory"
    service.engine.children_bytes = 800_000_000
    service.engine.stubborn = True
    body = {"graph": graph("three"), "watch_s": 0.05}
    assert service.ask("POST", "/jobs/three/upgrade", body).status_code == 202, "it takes the place of the one before"
    assert service.ask("GET", "/service").json()["memory_taken_bytes"] == 1_400_000_000, "nobody else gets what it needs"
    service.engine.children_bytes = 200_000_000
    told = service.ask("POST", "/jobs", {"graph": graph("four")}).json()["diagnostics"][0]
    assert told["message"].endswith("100 MB of 1,500 MB are free; taken: two 600 MB, three 800 MB")
    service.engine.stubborn = False
    service.ask("POST", "/jobs/three/stop", {"mode": "now"})
    service.until("three", "stopped")
    assert service.ask("GET", "/jobs").json()["jobs"][0]["name"] == "one"
