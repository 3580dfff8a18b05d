"""The client, the contexts and the commands, against a service at a port."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from despina.cli.service import counts
from despina.cli.supervise import CANNOT_START
from despina.errors import Diagnostic, GraphError, RefusedError, StartError
from despina.service import client as clients
from despina.service import contexts, guard
from despina.service.client import Client
from support.processes import until
from support.service import Cutting, Service, graph


@pytest.fixture
def asked(service: Service, url: str) -> Client:
    return Client(url, service.secrets["admin"])


def test_a_submission_over_connections_that_break_is_one_job(service: Service, url: str) -> None:
    proxy = Cutting(url, [0, 10, 200])
    try:
        found = Client(proxy.url, service.secrets["admin"]).submit({"graph": graph()})
        assert (found["name"], found["run"]) == ("numbers", 1)
        assert proxy.connections == 4
        assert len(service.engine.jobs) <= 1
        assert [job.record.run for job in service.jobs.runs("numbers")] == [1]
    finally:
        proxy.close()


def test_what_may_do_harm_twice_is_not_sent_again(service: Service, url: str) -> None:
    proxy = Cutting(url, [0])
    try:
        with pytest.raises(StartError, match="is not reached"):
            Client(proxy.url, service.secrets["admin"]).start("numbers")
        assert proxy.connections == 1
    finally:
        proxy.close()


def test_an_answer_that_is_cut_behind_any_byte_is_asked_for_again_and_nothing_is_read_of_it(
        service: Service, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(clients, "PAUSE_S", 0.0)
    monkeypatch.setattr(clients, "TRIES_S", 60.0)
    with closing(Cutting(url, range(2000))) as proxy:
        assert Client(proxy.url, service.secrets["admin"]).jobs() == []
        assert 200 < proxy.connections < 1000
    assert capsys.readouterr().err == "", "no version was read of half a header"


def test_a_service_that_is_not_there_is_told_at_once(asked: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(StartError, match="is not reached") as raised:
        Client(f"http://127.0.0.1:{port}", "x").jobs()
    assert raised.value.exit_code == CANNOT_START


@pytest.mark.parametrize(("version", "told"), [("0.2.9", 0), ("0.3.0", 1), ("1.2.0", 1)])
def test_a_service_of_another_minor_version_is_told_once(asked: Client, monkeypatch: pytest.MonkeyPatch,
                                                         capsys: pytest.CaptureFixture[str], version: str, told: int) -> None:
    monkeypatch.setattr(clients, "VERSION", "0.2.0")
    monkeypatch.setattr(guard, "HEADERS", [*guard.HEADERS[:-1], (b"despina-version", version.encode())])
    assert asked.jobs() == asked.jobs() == []
    assert capsys.readouterr().err.count(f"is Despina {version}, and this is 0.2.0") == told


@pytest.mark.parametrize("url", ["plant", "ftp://plant", "http://", "http://plant/path", "http://user:word@plant",
                                 "http://plant?a=b"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(RefusedError, match="is no address of a service"):
        Client(url, "x")


def test_diagnostics_come_back_as_our_errors(service: Service, asked: Client) -> None:
    service.engine.found = (Diagnostic("unknown_type", "no operator", operator="a"), Diagnostic("late", "late", "warning"))
    with pytest.raises(GraphError) as raised:
        asked.submit({"graph": graph()})
    assert [each.rule for each in raised.value.diagnostics] == ["unknown_type", "late"]
    with pytest.raises(RefusedError, match="there is no job 'x'"):
        asked.job("x")
    with pytest.raises(RefusedError, match="the token is not known"):
        Client(asked.url, "x").jobs()
    service.coordinator.close()
    with pytest.raises(StartError, match="the service ends"):
        asked.submit({"graph": graph("other")})


def test_what_is_no_service_is_told(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="answered 500, which is no answer of a service"):
        raise clients.error_of(clients.Answer(500, {}, b"<html>"), "http://plant")


def test_a_log_is_followed_to_the_end_of_its_job(service: Service, asked: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "FOLLOW_S", 0.01)
    service.submit()
    lines = asked.lines("log", "numbers", follow=True)
    assert next(lines)["text"] == "submitted, run 1"
    service.engine.named().lines.append("from the console")
    assert next(lines)["text"] == "from the console"
    service.engine.become("done")
    assert [line["text"] for line in lines] == ["done"]


def test_which_service_is_meant(service: Service, url: str, despina: Callable[..., tuple[int, str, str]], tmp_path: Path,
                                monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = despina("list")
    assert (code, "no service is named" in err) == (2, True)
    file = tmp_path / "plant.job"
    file.write_text("{}")
    assert despina("status", file) == (
        2, "", f"error[service]: no service is named, and {file} is a file, not a job of one\n  hint: what takes a job file is "
        f"control, move, schedule, savepoint and stop: despina control {file} status\n")
    assert despina("list", "--service", url) == (0, "no jobs\n", "")
    assert despina("context", "add", "plant", url)[0] == 0
    monkeypatch.delenv("DESPINA_TOKEN")
    assert despina("list") == (0, "no jobs\n", "")
    assert despina("list", "--service", url + "/") == (0, "no jobs\n", "")
    monkeypatch.setenv("DESPINA_SERVICE", "elsewhere")
    code, _, err = despina("list")
    assert (code, "no context 'elsewhere'" in err, "one of plant" in err) == (2, True, True)
    monkeypatch.setenv("DESPINA_SERVICE", "http://127.0.0.1:1")
    assert "there is no token for" in despina("list")[2]
    assert despina("list", "--service", "plant")[0] == 0
    assert (contexts.path().stat().st_mode & 0o777, str(contexts.path().parent.parent)) == (0o600, str(tmp_path / "config"))
    shown = despina("context", "list")[1]
    assert "plant" in shown
    assert service.secrets["admin"] not in shown
    contexts.path().chmod(0o644)
    assert "others on this machine" in despina("list", "--service", "plant")[2]


def test_contexts_are_used_and_forgotten(url: str, despina: Callable[..., tuple[int, str, str]]) -> None:
    for name in ("one", "two"):
        assert despina("context", "add", name, url)[0] == 0
    assert json.loads(despina("context", "use", "one", "--json")[1])["current"] == "one"
    known = json.loads(despina("context", "list", "--json")[1])["contexts"]
    assert [(each["name"], each["current"]) for each in known] == [("one", True), ("two", False)]
    assert despina("context", "remove", "one")[0] == 0
    assert despina("context", "use", "one")[0] == 2
    assert despina("context", "add", "x://y", url)[0] == 2


def test_a_token_is_shown_once_and_its_hash_never(tmp_path: Path, despina: Callable[..., tuple[int, str, str]]) -> None:
    file = tmp_path / "own.json"
    made = despina("token", "add", "ann", "--role", "view", "--tokens", file)[1].strip()
    shown = despina("token", "list", "--tokens", file)[1] + despina("token", "list", "--tokens", file, "--json")[1]
    assert "ann" in shown
    assert made not in shown
    assert json.loads(file.read_text())["tokens"][0]["sha256"] not in shown
    assert despina("token", "remove", "ann", "--tokens", file)[0] == 0
    assert despina("token", "remove", "ann", "--tokens", file)[0] == 2
    assert "not named once" in despina("token", "list")[2]
    for asked in (("add", "ann", "--role", "view"), ("list",), ("remove", "ann")):
        assert "is no folder of a service" in despina("token", *asked, "--folder", tmp_path / "other")[2]
    assert not (tmp_path / "other").exists()
    assert file.stat().st_mode & 0o777 == 0o600


def test_run_on_a_service_leaves_the_job_when_it_is_interrupted(service: Service, url: str, tmp_path: Path,
                                                                despina: Callable[..., tuple[int, str, str]],
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "g.json"
    file.write_text(graph())

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt
    assert service.engine.alive()
    monkeypatch.setattr("despina.cli.view.Quiet.update", interrupt)
    monkeypatch.setattr("despina.cli.watched.LOOK_S", 0.01)
    code, _, err = despina("run", "--service", url, file, "--quiet")
    assert (code, "despina stop numbers stops it" in err) == (130, True)
    assert service.until("numbers", "running")["wanted"] == "running"


@pytest.mark.parametrize(("state", "code"), [("done", 0), ("stopped", 0), ("failed", 1), ("incomplete", 5)])
def test_run_on_a_service_ends_with_the_code_of_the_job(service: Service, url: str, tmp_path: Path, state: str, code: int,
                                                        despina: Callable[..., tuple[int, str, str]],
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "g.json"
    file.write_text(graph())
    monkeypatch.setattr("despina.cli.watched.LOOK_S", 0.01)
    monkeypatch.setattr("despina.cli.view.Quiet.update", lambda *_: service.engine.become(state, rule="job", message="no"))
    assert service.engine.alive()
    assert despina("run", "--service", url, file, "--quiet", "--spool", "rows")[0] == code
    assert service.engine.named().words["serve"] == ["rows"]


def test_the_counts_of_a_job_are_of_what_its_links_leave_out() -> None:
    counted = {"a": (0, 40), "windows": (40, 0), "shown": (0, 0)}        # no window has ended yet
    operators = {name: {"packets_in": came, "packets_out": left, "errors": 1} for name, (came, left) in counted.items()}
    assert counts({"status": {"operators": operators, "links": {"a->windows": {}, "windows.late->shown": {}}}}) == (40, 0, 3)
    assert counts({"status": None}) == (0, 0, 0)


def test_stop_of_what_is_neither_a_job_file_nor_meant_for_a_service(despina: Callable[..., tuple[int, str, str]], tmp_path: Path,
                                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = despina("stop", "jb.json")
    assert (code, "no job file here" in err) == (2, True)
    assert "hint: despina run GRAPH --job-file FILE writes one; of a job of a service, --service URL says which service\n" in err
    monkeypatch.chdir(tmp_path)
    Path("g.graph.json").write_text("{}")
    assert "hint: despina run GRAPH --job-file FILE writes one" in despina("control", "g.job", "status")[2]   # no g.graph.json
    Path("hot.svg").write_text("<svg/>")
    assert "hint: despina run GRAPH --job-file FILE writes one" in despina("stop", "hot")[2]    # no hot.svg
    Path("plant.job").write_text("{}")
    assert despina("control", "plant.jbo", "status")[2].endswith("no job file here\n  hint: did you mean plant.job?\n")


def test_commands_say_what_has_become_of_a_job_by_itself(service: Service, url: str, tmp_path: Path,
                                                         despina: Callable[..., tuple[int, str, str]],
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESPINA_SERVICE", url)
    service.submit()
    none = dict.fromkeys(("packets_in", "packets_out", "errors", "late", "dropped"), 0)
    service.engine.named().counters = {"operators": {"cell": none}, "restarts": 2, "awaited": {"far": "despina resource"},
                                       "last_restart": {"why": {"message": "a is gone"}}}
    until(lambda: "went on 2 times after a loss, the last: a is gone\n" in despina("status", "numbers")[1], "restarts")
    assert "resource far has not joined: despina resource\n" in despina("status", "numbers")[1]
    assert despina("errors", "numbers", "--operator", "cel")[2].endswith("hint: did you mean `cell`?\n")
    assert despina("errors", "numbers", "--operator", "cell")[1] == "no errors\n"
    service.engine.become("failed", rule="job", message="no")
    service.until("numbers", "failed")
    assert despina("stop", "numbers")[1] == "numbers: has ended already, failed, run 1\n"
    (tmp_path / "g.json").write_text(graph())
    assert "`despina submit` begins another run" in despina("upgrade", "numbers", tmp_path / "g.json")[2]
