"""Jobs with a state folder and peers on sockets: peers that are away for long, and savepoints of what waits in logs."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from despina import Graph, Job
from despina.engine import Engine
from despina.errors import DespinaError, RefusedError
from support.graphs import Fields, chain, rows
from support.kill_ways import HttpIn
from support.processes import free_port, until

SECOND_EPOCH = 2
MOST_UNCOMMITTED = 10
RATE_PER_S = 1_000
GIVEN = 3_000

pytestmark = pytest.mark.parametrize("engine", ["py4j"], indirect=True)


class HttpPeer:
    """What an ``http_sink`` posts to. It is away until it is begun."""

    def __init__(self) -> None:
        self.port = free_port()
        self.bodies: dict[str, str] = {}
        """By key, in the order in which they came."""
        self.repeated = 0
        self._server: ThreadingHTTPServer | None = None

    def sink(self, **more: Any) -> Fields:
        """The fields of the sink."""
        return {"type": "http_sink", "url": f"http://127.0.0.1:{self.port}/", "format": "json", **more}

    def numbers(self) -> list[int]:
        """Column n of all rows."""
        return [json.loads(line)["n"] for body in list(self.bodies.values()) for line in body.splitlines()]

    def begin(self) -> None:
        peer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                key, body = self.headers["Idempotency-Key"], self.rfile.read(int(self.headers["Content-Length"])).decode()
                peer.repeated += key in peer.bodies
                peer.bodies.setdefault(key, body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *arguments: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def end(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()


class TcpPeer:
    """What a ``tcp_sink`` sends to; the same."""

    def __init__(self) -> None:
        self.port = free_port()
        self._text = ""
        self._listening: socket.socket | None = None

    def sink(self, **more: Any) -> Fields:
        """The fields of the sink."""
        return {"type": "tcp_sink", "host": "127.0.0.1", "port": self.port, "format": "json", **more}

    def numbers(self) -> list[int]:
        """Column n of all rows."""
        return [json.loads(line)["n"] for line in self._text.splitlines(keepends=True) if line.endswith("\n")]

    def begin(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._take, args=[self._listening], daemon=True).start()

    def _take(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, connection.makefile() as lines:
                    for line in lines:
                        self._text += line

    def end(self) -> None:
        if self._listening is not None:
            self._listening.close()


Peer = HttpPeer | TcpPeer


@pytest.fixture(params=[HttpPeer, TcpPeer], ids=["http", "tcp"])
def peer(request: pytest.FixtureRequest) -> Iterator[Peer]:
    """One that is away."""
    kind: Callable[[], Peer] = request.param
    made = kind()
    yield made
    made.end()


def sending(peer: Peer, columns: str = "id AS n", **more: Any) -> Graph:
    """Rows without an end."""
    return Graph.from_dict(chain(("made", rows(None, columns, rate_per_s=RATE_PER_S)), ("sent", peer.sink(**more)),
                                 name="peers"))


@contextmanager
def running(engine: Engine, graph: Graph, state: Path, **options: Any) -> Iterator[Job]:
    job = graph.run(engine=engine, state=state, epoch_ms=50, **options)
    try:
        yield job
    finally:
        job.stop("now")
        with suppress(DespinaError):
            job.wait()


def completes(job: Job, epoch: int) -> None:
    until(lambda: job.poll().epoch.get("complete", 0) >= epoch or job.poll().ended, f"epoch {epoch}")
    assert not job.poll().ended, job.poll().error


def test_rows_wait_in_the_log_while_their_target_is_away_and_the_status_tells(engine: Engine, tmp_path: Path, peer: Peer) -> None:
    with running(engine, sending(peer), tmp_path / "state") as job:
        completes(job, MOST_UNCOMMITTED)
        until(lambda: "and no epoch begins before" in job.poll().epoch["why"], "a reason")
        waiting = job.poll().epoch["complete"]
        taken = job.poll().operators["sent"]["packets_in"]
        until(lambda: job.poll().operators["sent"]["packets_in"] > taken + RATE_PER_S, "rows that go on")
        status = job.poll()
        assert status.state == "running"
        assert status.epoch["complete"] == waiting
        assert status.epoch["why"] == f"resource `local` has not committed epoch {waiting - MOST_UNCOMMITTED + 1}, and no " \
            "epoch begins before; `local` waits for operator `sent`"
        peer.begin()
        completes(job, waiting + SECOND_EPOCH)
        until(lambda: job.poll().epoch["why"] == "", "no reason any more")
        job.stop()
        end = job.wait()
    assert peer.numbers() == list(range(end.operators["sent"]["packets_in"]))
    assert not isinstance(peer, HttpPeer) or peer.repeated == 0


def test_rows_that_wait_outlive_the_job(engine: Engine, tmp_path: Path, peer: Peer) -> None:
    with running(engine, sending(peer), tmp_path / "state") as job:
        completes(job, MOST_UNCOMMITTED)
    peer.begin()
    with running(engine, sending(peer), tmp_path / "state") as job:
        until(lambda: len(peer.numbers()) > 2 * RATE_PER_S, "rows")
        job.stop()
        job.wait()
    found = peer.numbers()
    assert found == list(range(len(found)))


def test_a_target_that_stays_away_ends_the_job_with_its_name(engine: Engine, tmp_path: Path, peer: Peer) -> None:
    job = sending(peer, retry_for_ms=500).run(engine=engine, state=tmp_path / "state", epoch_ms=50)
    with pytest.raises(DespinaError) as failed:
        job.wait()
    assert failed.value.operator == "sent"
    assert f"127.0.0.1:{peer.port}" in str(failed.value)
    assert "tried again for retry_for_ms=500" in str(failed.value)


@pytest.fixture
def taking() -> Iterator[HttpPeer]:
    """One that is there."""
    made = HttpPeer()
    made.begin()
    yield made
    made.end()


def given() -> list[dict[str, Any]]:
    return [{"k": f"k{n % 7}", "n": n, "v": n % 3, "ts": "2026-01-01T00:00:00Z"} for n in range(GIVEN)]


def test_a_savepoint_has_what_clients_had_posted_and_peers_not_got(engine: Engine, tmp_path: Path, taking: HttpPeer) -> None:
    """The client posts over the stop, and repeats what was not answered."""
    clients = HttpIn(tmp_path, {"in": given()}, RATE_PER_S)
    posted = clients.source("in", {"event_time": {"column": "ts", "max_delay_ms": 0}})
    graph = Graph.from_dict(chain(("in", posted), ("out", taking.sink()), name="posted"))
    try:
        with running(engine, graph, tmp_path / "first") as job:
            clients.begin()
            until(lambda: len(taking.numbers()) > GIVEN // 4, "rows")
            job.stop(savepoint=tmp_path / "savepoint")
            job.wait()
        before = len(taking.numbers())
        assert GIVEN // 4 < before < GIVEN
        with running(engine, graph, tmp_path / "second", from_=tmp_path / "savepoint") as job:
            until(lambda: clients.given() and len(taking.numbers()) >= GIVEN, "all rows")
            job.stop()
            job.wait()
    finally:
        clients.end()
    assert sorted(taking.numbers()) == list(range(GIVEN))
    assert taking.repeated == 0


def connected(port: int) -> socket.socket | None:
    try:
        return socket.create_connection(("127.0.0.1", port))
    except ConnectionRefusedError:
        return None


def send(port: int, numbers: range) -> None:
    found = until(lambda: connected(port), "listening source")
    assert found
    with found as connection:
        connection.sendall("".join(json.dumps({"n": n}) + "\n" for n in numbers).encode())


def test_a_job_with_logs_on_both_sides_goes_on_from_its_savepoint_elsewhere(engine: Engine, tmp_path: Path,
                                                                           taking: HttpPeer) -> None:
    """The peer gets nothing before the stop: what waits for it leaves with the savepoint's epoch, and never again."""
    port = free_port()
    source: Fields = {"type": "tcp_source", "port": port, "format": "json", "schema": "n BIGINT"}
    graph = Graph.from_dict(chain(("in", source), ("out", taking.sink()), name="sent"))
    half = GIVEN // 2
    job = graph.run(engine=engine, state=tmp_path / "first", epoch_ms=60_000)
    send(port, range(half))
    until(lambda: job.poll().operators["out"]["packets_in"] == half, "rows that were sent")
    assert not taking.bodies
    job.stop(savepoint=tmp_path / "savepoint")
    job.wait()
    assert taking.numbers() == list(range(half))
    with running(engine, graph, tmp_path / "second", from_=tmp_path / "savepoint") as again:
        send(port, range(half, GIVEN))
        until(lambda: len(taking.numbers()) >= GIVEN, "all rows")
        again.stop()
        again.wait()
    assert taking.numbers() == list(range(GIVEN))
    assert taking.repeated == 0


@pytest.mark.parametrize("change", [{"parallelism": 1}, {"columns": "CAST(id AS STRING) AS n"}], ids=["parallelism", "columns"])
def test_what_rows_that_wait_cannot_follow_is_refused_before_anything_runs(engine: Engine, tmp_path: Path, peer: Peer,
                                                                          change: dict[str, Any]) -> None:
    with running(engine, sending(peer, parallelism=2), tmp_path / "state") as job:
        completes(job, MOST_UNCOMMITTED)
    changed = sending(peer, parallelism=change.get("parallelism", 2), columns=change.get("columns", "id AS n"))
    with pytest.raises(RefusedError) as refused:
        changed.run(engine=engine, state=tmp_path / "state")
    dry = changed.dry_run(tmp_path / "state", engine=engine)
    words = {"parallelism": "operator `sent` has rows that wait in 2 outboxes, and 1 instances: leave its parallelism as it was, "
                            "or make it more",
             "columns": "operator `sent` has rows that wait, with the columns n BIGINT NOT NULL, in the graph they are n STRING "
                        "NOT NULL"}[next(iter(change))]
    assert words in str(refused.value)
    assert [each.message for each in dry.diagnostics] == [words]


def test_rows_that_wait_are_not_lost_with_the_log_that_has_them(engine: Engine, tmp_path: Path, peer: Peer) -> None:
    """Sent at once, they would leave the log behind: that goes where nothing waits."""
    at_once = sending(peer, delivery="at_least_once")
    with running(engine, sending(peer), tmp_path / "state") as job:
        completes(job, MOST_UNCOMMITTED)
    peer.begin()
    job = at_once.run(engine=engine, state=tmp_path / "state", epoch_ms=50)
    with pytest.raises(DespinaError) as failed:
        job.wait()
    assert "operator sent, instance 0: it cannot go on from epoch " in str(failed.value)
    assert "it kept state `" in str(failed.value)
    assert job.restarts == 0
    assert not peer.numbers()
    with running(engine, sending(peer), tmp_path / "state") as job:
        until(lambda: peer.numbers(), "rows")
        job.stop()
        job.wait()
    left = len(peer.numbers())
    with running(engine, at_once, tmp_path / "state") as job:
        until(lambda: len(peer.numbers()) > left + RATE_PER_S, "rows")
        job.stop()
        job.wait()
    assert peer.numbers() == list(range(len(peer.numbers())))
