"""Rows out of a job of a service and into it, each once, whatever breaks; and the driver over which ``Job`` has them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import despina
from despina import Graph
from despina.drivers.service import ServiceDriver
from despina.engine import Engine
from despina.errors import GraphError, JobError, RefusedError, StartError
from despina.job import Job
from despina.options import RunOptions
from despina.service import remote
from despina.service.client import Client
from despina.service.remote import Remote
from support.processes import until
from support.service import CHUNK, Cutting, Service, graph, stream

Serve = Callable[..., Service]
ROWS = "/jobs/numbers/rows/rows"


def numbers(answer: Any) -> list[int]:
    found: list[int] = pyarrow.ipc.open_stream(answer.content).read_all()["n"].to_pylist() if answer.content else []
    return found


def after(answer: Any) -> str:
    return f"{ROWS}?after={answer.headers['despina-next']}"


def driven(url: str, service: Service) -> Engine:
    return Engine(ServiceDriver(Client(url, service.secrets["admin"], patient=True)), "service")


@pytest.fixture
def engine(service: Service) -> Iterator[Engine]:
    with service.listening() as url:
        assert service.engine.alive()
        yield driven(url, service)


@pytest.fixture
def plant(service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Remote]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("DESPINA_TOKEN", service.secrets["admin"])
    with service.listening() as url:
        assert service.engine.alive()
        yield remote.Remote(url)


@pytest.mark.parametrize("kept", [False, True])
def test_rows_come_again_until_the_next_place_is_asked_from(service: Service, kept: bool) -> None:
    service.submit()
    job = service.engine.named()
    job.kept, job.rows = kept, list(range(2 * CHUNK))
    first = service.ask("GET", ROWS)
    assert numbers(first) == list(range(CHUNK))
    assert numbers(service.ask("GET", ROWS)) == numbers(first)
    second = service.ask("GET", after(first))
    assert numbers(second) == list(range(CHUNK, 2 * CHUNK))
    assert numbers(service.ask("GET", after(first))) == numbers(second)
    third = service.ask("GET", after(second))
    assert (third.status_code, third.headers["despina-next"], third.headers["despina-state"]) == (
        204, second.headers["despina-next"], "running")
    job.rows.append(99)
    assert numbers(service.ask("GET", after(third))) == [99]
    assert job.done == ([(0, "takes"), (CHUNK, "takes"), (2 * CHUNK, "takes")] if kept else [])


def test_a_sink_without_rows_gives_its_columns_and_one_that_is_not_there_is_told(service: Service) -> None:
    service.submit()
    assert pyarrow.ipc.open_stream(service.ask("GET", ROWS).content).schema.names == ["n"]
    answer = service.ask("GET", "/jobs/numbers/rows/row")
    assert (answer.status_code, "it has: rows" in answer.text) == (422, True)
    assert service.ask("GET", ROWS, role="view").status_code == 403


def test_a_place_that_another_reader_has_passed_is_refused(service: Service) -> None:
    service.submit()
    service.engine.named().rows = list(range(3 * CHUNK))
    first = service.ask("GET", ROWS)
    second = service.ask("GET", after(first))
    service.ask("GET", after(second))
    answer = service.ask("GET", after(first))
    assert (answer.status_code, answer.json()["diagnostics"][0]["rule"]) == (409, "place")
    assert numbers(service.ask("GET", ROWS)) == list(range(2 * CHUNK, 3 * CHUNK)), "what no reader has said to have"


def test_the_last_rows_of_a_job_that_has_ended_are_there(service: Service) -> None:
    service.submit()
    service.engine.named().rows = list(range(CHUNK))
    service.engine.become("done")
    service.until("numbers", "done")
    first = service.ask("GET", ROWS)
    assert numbers(first) == list(range(CHUNK))
    assert service.ask("GET", after(first)).headers["despina-state"] == "done"
    service.engine.die()
    assert service.ask("GET", after(first)).status_code == 204


def test_what_was_handed_over_and_did_not_come_is_there_without_the_coordinator_too(service: Service) -> None:
    service.submit()
    service.engine.named().rows = list(range(2 * CHUNK))
    service.engine.become("done")
    service.until("numbers", "done")
    first = service.ask("GET", ROWS)
    service.engine.die()
    assert numbers(service.ask("GET", ROWS)) == numbers(first)
    answer = service.ask("GET", after(first))
    assert (answer.status_code, answer.json()["diagnostics"][0]["rule"]) == (409, "rows")


def test_rows_that_nobody_has_asked_for_are_not_lost_without_words(service: Service) -> None:
    service.submit()
    service.engine.named().rows = list(range(CHUNK))
    service.engine.become("done")
    service.until("numbers", "done")
    service.engine.die()
    assert service.ask("GET", ROWS).status_code == 409


def test_rows_of_a_job_that_ended_in_an_earlier_life_of_the_service_are_not_lost_without_words(serve: Serve) -> None:
    before = serve()
    before.submit(restart="never")
    before.engine.named().rows = list(range(CHUNK))
    before.engine.become("done")
    before.until("numbers", "done")
    before.kill()
    answer = serve().ask("GET", ROWS)
    assert (answer.status_code, answer.json()["diagnostics"][0]["rule"]) == (409, "rows")


def test_kept_rows_of_a_job_that_was_stopped_wait_for_its_next_start(service: Service) -> None:
    service.submit()
    job = service.engine.named()
    job.kept, job.rows = True, list(range(CHUNK))
    service.ask("GET", ROWS)
    service.ask("POST", "/jobs/numbers/stop")
    service.until("numbers", "stopped")
    service.engine.die()
    assert service.ask("GET", ROWS).status_code == 204


def test_a_place_that_is_not_told_at_once_loses_no_rows(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit()
    job = service.engine.named()
    job.kept, job.rows = True, list(range(2 * CHUNK))
    first = service.ask("GET", ROWS)

    def broken(*_: object) -> str:
        raise StartError("engine_call", "the answer did not come")
    with monkeypatch.context() as patched:
        patched.setattr(service.engine, "place", broken)
        assert service.ask("GET", after(first)).status_code == 503
    assert numbers(service.ask("GET", after(first))) == list(range(CHUNK, 2 * CHUNK))


def test_kept_rows_go_on_behind_their_place_in_the_next_life_of_the_service(serve: Serve) -> None:
    service = serve()
    service.submit()
    job = service.engine.named()
    job.kept, job.rows = True, list(range(3 * CHUNK))
    first = service.ask("GET", ROWS)
    second = service.ask("GET", after(first))
    service.kill()
    back = serve()
    back.until("numbers", "running")
    job = back.engine.named()
    job.kept, job.rows = True, list(range(3 * CHUNK))
    third = back.ask("GET", after(second))
    assert numbers(third) == list(range(2 * CHUNK, 3 * CHUNK))
    assert job.begun == [second.headers["despina-next"]]


def test_rows_that_are_not_kept_do_not_go_on_in_another_start(serve: Serve) -> None:
    service = serve()
    service.submit(restart="from_start")
    service.engine.named().rows = list(range(CHUNK))
    first = service.ask("GET", ROWS)
    service.kill()
    back = serve()
    back.until("numbers", "running")
    assert back.ask("GET", after(first)).status_code == 409


@pytest.mark.parametrize("kept", [False, True])
def test_a_program_has_each_row_once_over_connections_that_break(service: Service, kept: bool) -> None:
    service.submit()
    fake = service.engine.named()
    fake.kept, fake.rows = kept, list(range(10 * CHUNK))
    with service.listening() as url, closing(Cutting(url, [0, 5, 300, 800, 1500, 10, 700, 2000, 400])) as proxy:
        job = Job(driven(proxy.url, service), "numbers/1", "numbers")
        got = [row["n"] for _, rows in zip(range(5), iter(job.take, None), strict=False) for row in rows]
        service.engine.become("done")
        got += [row["n"] for rows in job.batches() for row in rows]
    assert got == list(range(10 * CHUNK))
    assert proxy.connections > 5


def test_a_program_is_done_with_what_it_took_and_keeps_its_place(service: Service, engine: Engine) -> None:
    service.submit()
    fake = service.engine.named()
    fake.kept, fake.rows = True, list(range(2 * CHUNK))
    until(lambda: service.ask("GET", "/jobs/numbers").json()["status"]["collected"]["rows"]["kept"], "status that says so")
    job = Job(engine, "numbers/1", "numbers")
    assert [row["n"] for row in job.take()] == list(range(2 * CHUNK))
    assert job.place() == f"folder {2 * CHUNK}"
    assert (2 * CHUNK, "takes") not in fake.done
    assert len(job.take()) == 0
    assert fake.done[-1] == (2 * CHUNK, "takes")
    assert job.place() == f"folder {2 * CHUNK}"
    other = Job(engine, "numbers/1", "numbers")
    with pytest.raises(RefusedError, match="were fetched before it was said"):
        next(other.batches(after="folder 3"))


def test_a_program_that_is_run_again_begins_behind_its_place(service: Service, engine: Engine) -> None:
    service.submit()
    fake = service.engine.named()
    fake.kept, fake.rows = True, list(range(2 * CHUNK))
    fake.state = "running"
    job = Job(engine, "numbers/1", "numbers")
    rows = next(job.batches(after="folder 3"))
    assert [row["n"] for row in rows] == list(range(3, 2 * CHUNK))
    assert fake.begun == ["folder 3"]


def test_what_a_writer_sends_twice_is_taken_once(service: Service) -> None:
    service.submit(inputs=["source"])
    assert service.engine.named().words["inputs"] == ["source"]
    headers = {"authorization": f"Bearer {service.secrets['operate']}"}

    def give(rows: list[int], number: int) -> Any:
        return service.client.post(f"/api/v1/jobs/numbers/inputs/source?number={number}", content=stream(rows), headers=headers)
    assert give([1, 2], 0).json() == {"room": True, "open": True}
    assert give([1, 2], 0).status_code == 200
    assert give([3], 1).status_code == 200
    for wrong in (0, 3):
        assert give([4], wrong).status_code == 409
    assert service.engine.named().fed == [1, 2, 3]
    assert service.ask("GET", "/jobs/numbers/inputs/source").json() == {"rows": 3}
    assert service.ask("POST", "/jobs/numbers/inputs/source/end", {"failure": "no more"}).status_code == 204
    assert service.engine.named().ends == ["no more"]


def test_a_job_that_has_ended_takes_no_rows_and_one_that_starts_soon(service: Service) -> None:
    service.submit(inputs=["source"])
    service.engine.become("done")
    service.until("numbers", "done")
    answer = service.ask("POST", "/jobs/numbers/inputs/source")
    assert (answer.status_code, answer.json()["diagnostics"][0]["rule"]) == (409, "job_state")
    assert service.ask("POST", "/jobs/numbers/inputs/source/end", {}).status_code == 204
    service.coordinator.close()
    service.ask("POST", "/jobs/numbers/start", {"from_start": True})
    answer = service.ask("GET", "/jobs/numbers/inputs/source")
    assert (answer.status_code, answer.headers.get("retry-after")) == (503, "2")


def test_a_program_awaits_a_job_that_starts_for_as_long_as_it_takes(service: Service, engine: Engine,
                                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    service.submit(inputs=["source"])
    job = service.jobs.one("numbers")
    writer, depths = job.rows.writer, []
    driver = ServiceDriver._status

    def status(asked: ServiceDriver, identifier: str) -> dict[str, Any]:
        depths.append(len(inspect.stack(0)))
        return driver(asked, identifier)
    monkeypatch.setattr(ServiceDriver, "_status", status)
    monkeypatch.setattr("despina.drivers.service.LOOK_S", 0.0)
    monkeypatch.setattr(job.rows, "writer", lambda source: writer(source) if len(depths) == 4 else None)
    assert engine.feed("numbers/1", "source", stream([1]), 0) == (True, True)
    assert service.engine.named().fed == [1]
    assert len(set(depths)) == 1, "a loop"


def test_a_job_of_python_stops_its_own_run(service: Service, engine: Engine) -> None:
    service.submit()
    service.engine.become("done")
    service.until("numbers", "done")
    service.submit()
    Job(engine, "numbers/1", "numbers").stop()
    assert service.engine.named().told == [], "the other run goes on"
    Job(engine, "numbers/2", "numbers").stop()
    service.until("numbers", "stopped")


def test_rows_that_a_program_gives_come_once_over_connections_that_break(service: Service) -> None:
    assert service.engine.alive()
    service.engine.inputs = {"source": stream([])}
    given = [[{"n": k} for k in range(first, first + 10)] for first in range(0, 100, 10)]
    with service.listening() as url, closing(Cutting(url, [2000, 0, 300, 10, 700, 0, 0, 150, 5000])) as proxy:
        Graph(graph(), "g.json").start(driven(proxy.url, service), RunOptions(), inputs={"source": iter(given)})
        until(lambda: service.engine.jobs and service.engine.named().ends, "end of what is given")
        assert proxy.connections > 3
    assert service.engine.named().fed == list(range(100))


def test_jobs_of_a_service_from_python(plant: Remote, service: Service) -> None:
    job = plant.submit(Graph(graph(), "g.json"), name="hot", labels={"line": "1"}, parameters={"a": 1})
    service.until("hot", "running")
    assert service.jobs.one("hot").record.labels == {"line": "1"}
    assert service.jobs.one("hot").run.parameters == {"a": "1"}
    assert (job.id, job.poll().state) == ("hot/1", "running")
    assert list(plant.jobs()) == ["hot"]
    service.engine.named().lines.append("said")
    plant["hot"].stop()
    assert plant["hot"].wait().state == "stopped"
    assert job.report()["state"] == "stopped"
    with pytest.raises(RefusedError, match="no job 'cold'"):
        plant["cold"]


def test_another_graph_is_sent_with_the_files_of_its_parts(plant: Remote, service: Service, tmp_path: Path,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.part.json").write_text("{}")
    (tmp_path / "names.csv").write_text("a\n")
    service.submit()
    content = {**json.loads(graph(u={"type": "part", "part": "p"})), "parts": {"p": {"type": "file", "path": "p.part.json"}}}
    service.engine.whole = {"u_names": {"type": "lookup", "from": {"type": "file", "path": "names.csv"}}}
    another = Graph(json.dumps(content), str(tmp_path / "g.json"))
    assert plant.dry_run("numbers", another)
    assert service.engine.checked[-1][0] == another.sent
    plant.upgrade("numbers", another, watch_s=0.05)
    assert (service.folder / "jobs/numbers/2/files/names.csv").read_text() == "a\n"


def test_a_job_that_fails_or_is_lost_fails_in_python(plant: Remote, service: Service) -> None:
    job = plant.submit(Graph(graph(), "g.json"), restart="never")
    service.until("numbers", "running")
    service.engine.become("failed", rule="arithmetic", message="Division by zero", hint="try_divide")
    with pytest.raises(JobError, match="Division by zero") as raised:
        job.wait()
    assert raised.value.hint == "try_divide"
    job = plant.submit(Graph(graph(), "g.json"), restart="never")
    service.until("numbers", "running")
    service.engine.die()
    with pytest.raises(JobError, match="gone"):
        job.wait()


def test_what_a_service_decides_itself_is_refused(plant: Remote, service: Service) -> None:
    for options in ({"state": "s"}, {"epoch_ms": 5}, {"jars": ["a.jar"]}):
        with pytest.raises(RefusedError, match=f"not used with a service: {next(iter(options))}"):
            plant.submit(Graph(graph(), "g.json"), **options)
    job = plant.submit(Graph(graph(), "g.json"))
    with pytest.raises(RefusedError, match="a service does not do this: savepoint"):
        job.savepoint("s")
    service.engine.found = (despina.Diagnostic("syntax", "no", operator="a"),)
    with pytest.raises(GraphError):
        Graph(graph("other"), "g.json").run(service=plant.url)


def test_another_graph_brings_the_files_of_its_parts_and_of_what_is_in_them(
        plant: Remote, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plant.submit(Graph(graph(), "g.json"))
    service.until("numbers", "running")
    Path("p.json").write_text("{}")
    Path("in.csv").write_text("1\n")
    service.engine.whole = {"u_read": {"type": "file_source", "path": "in.csv"}}
    parted = {**json.loads(graph(u={"type": "part", "part": "p"})), "parts": {"p": {"type": "file", "path": "p.json"}}}
    plant.dry_run("numbers", Graph(json.dumps(parted), "g.json"))
    text, _ = service.engine.checked[-1]
    assert text.partition("\x1e")[2] == '{"p.json": {"text": "{}"}}'
    job = plant.upgrade("numbers", Graph(json.dumps(parted), "g.json"), watch_s=0.05)
    assert (service.folder / "jobs" / job.id / "files/in.csv").read_text() == "1\n"


def test_despina_service_is_how_one_is_reached(plant: Remote) -> None:
    assert repr(despina.service(plant.url)) == f"despina.service('{plant.url}')"
    assert json.loads(json.dumps(sorted(despina.service(plant.url).jobs()))) == []


def test_the_console_is_printed_once(service: Service, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    service.submit()
    job = Job(engine, "numbers/1", "numbers")
    service.engine.named().lines.append("said")
    until(lambda: "said" in service.ask("GET", "/jobs/numbers/log").text, "line")
    job.poll()
    job.poll()
    assert capsys.readouterr().out == "said\n"


def test_programs_reach_a_job_past_the_service_while_it_runs(service: Service, engine: Engine, tmp_path: Path) -> None:
    service.submit(spool=["rows"])
    assert service.engine.named().words["serve"] == service.engine.checked[-1][1]["serve"] == ["rows"]
    job = Job(engine, "numbers/1", "numbers")
    assert job.address == service.engine.address("j1")
    assert despina.job_options(job) == {"address": "127.0.0.1:7", "job": "j1", "secret": "s" * 16}
    with job.file(tmp_path / "job.json") as file:
        assert (json.loads(file.read_text()), file.stat().st_mode & 0o777) == (job.address, 0o600)
    assert [service.ask("GET", "/jobs/numbers/address", role=role).status_code for role in service.secrets] == [403, 403, 200]
    service.engine.become("done")
    service.until("numbers", "done")
    with pytest.raises(JobError, match="the job numbers is done, and has no address"):
        job.file(tmp_path / "job.json").__enter__()


def test_what_is_spooled_is_as_before_in_an_upgrade_and_in_the_next_life(serve: Serve) -> None:
    service = serve()
    service.submit(spool=["rows"])
    answer = service.ask("POST", "/jobs/numbers/upgrade", {"graph": graph(), "watch_s": 0.01})
    assert answer.status_code == 202, answer.text
    until(lambda: len(service.engine.jobs) == 2, "job of the other graph")
    service.kill()
    back = serve()
    back.until("numbers", "running")
    assert back.engine.named().words["serve"] == ["rows"]
