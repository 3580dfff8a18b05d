"""What clients may do before they are known, and how much all of them may do at one time."""

from __future__ import annotations

import asyncio
import http.client
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast

import pytest
import uvicorn
from starlette.responses import StreamingResponse

from despina.service import server
from despina.service.connections import Connection
from despina.service.guard import Limits
from support.processes import until
from support.service import Service, graph

Serve = Callable[..., Service]


def rule(answer: Any) -> str:
    return str(answer.json()["diagnostics"][0]["rule"])


def opened(url: str) -> socket.socket:
    host, _, port = url.removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(port)), 10)


def live(url: str) -> int:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    try:
        connection.request("GET", "/health/live")
        return connection.getresponse().status
    finally:
        connection.close()


def is_closed(each: socket.socket) -> bool:
    try:
        return each.recv(1) == b""
    except ConnectionResetError:
        return True


def test_no_answer_waits_for_the_client_to_acknowledge_its_head(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    real, at_once = Connection.connection_made, []

    def seen(connection: Connection, transport: asyncio.Transport) -> None:
        real(connection, transport)
        at_once.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0)
    monkeypatch.setattr(Connection, "connection_made", seen)
    with service.listening() as url:
        assert live(url) == 200
    assert at_once == [True]


def test_silent_connections_are_closed_and_keep_nobody_out(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "MOST", 8)
    monkeypatch.setattr(Connection, "HEAD_S", 0.3)
    with service.listening() as url, ExitStack() as ends:
        silent = [ends.enter_context(opened(url)) for _ in range(8)]
        silent[0].sendall(b"GET /health/live HTTP/1.1\r\nHost:")
        assert all(is_closed(each) for each in silent)
        assert live(url) == 200


def test_a_head_that_comes_slowly_after_an_answer_is_not_awaited_for_ever(service: Service,
                                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "HEAD_S", 0.3)
    with service.listening() as url, opened(url) as client:
        host = url.removeprefix("http://").encode()
        client.sendall(b"GET /health/live HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        client.sendall(b"G")
        assert until(lambda: is_closed(client), "end of the connection")


@pytest.mark.parametrize("most", ["MOST", "MOST_OF_ADDRESS"])
def test_a_new_connection_takes_the_place_of_that_which_owes_a_head_for_longest(
        service: Service, monkeypatch: pytest.MonkeyPatch, most: str) -> None:
    monkeypatch.setattr(Connection, most, 3)
    with service.listening() as url, ExitStack() as ends:
        silent = [ends.enter_context(opened(url)) for _ in range(3)]
        assert live(url) == 200
        assert is_closed(silent[0])
        assert [_is_silent(each) for each in silent[1:]] == [True, True]


def test_an_address_has_so_many_connections(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    head = "POST /api/v1/check HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 9\r\n\r\n"
    with service.listening() as url, ExitStack() as ends:
        asking = [ends.enter_context(opened(url)) for _ in range(2)]
        for each in asking:
            each.sendall(head.format(url.removeprefix("http://"), service.secrets["admin"]).encode())
        assert live(url) == 200     # so the heads before it have been read, and none of these two owes one
        monkeypatch.setattr(Connection, "MOST_OF_ADDRESS", 2)
        until(lambda: not _answers(url), "requests whose bodies are awaited")
        with opened(url) as late:
            answer = http.client.HTTPResponse(late)
            answer.begin()
            assert (answer.status, answer.headers["retry-after"]) == (503, "5")
            assert b'"busy"' in answer.read()
        asking[0].close()
        until(lambda: _answers(url), "answer in the place of the one that went")


def _is_silent(client: socket.socket) -> bool:
    """Whether it is open, and nothing came."""
    client.setblocking(False)
    try:
        client.recv(1)
        return False
    except BlockingIOError:
        return True


def _answers(url: str) -> bool:
    try:
        return live(url) == 200
    except (OSError, http.client.HTTPException):
        return False


def test_more_requests_at_one_time_than_may_be_are_told_and_health_is_answered(serve: Serve) -> None:
    service = serve(limits=Limits(running=0))
    refused = service.ask("GET", "/jobs")
    assert (refused.status_code, rule(refused), refused.headers["retry-after"]) == (503, "busy", "1")
    assert service.client.get("/health/live").status_code == 200


def test_a_request_that_was_answered_makes_room(serve: Serve) -> None:
    service = serve(limits=Limits(running=1, bodies_bytes=3000))
    for _ in range(3):
        assert service.ask("POST", "/check", {"graph": graph()}).status_code == 200
        assert service.ask("POST", "/check", {"graph": "x" * 2000, "unknown": 1}).status_code == 422
    refused = service.ask("POST", "/check", {"graph": "x" * 4000})
    assert (refused.status_code, rule(refused), refused.headers["retry-after"]) == (503, "body", "1")
    assert service.ask("POST", "/check", {"graph": graph()}).status_code == 200


@pytest.mark.parametrize(("method", "path"), [("POST", "/api/v1/jobs"), ("PUT", "/api/v1/files/" + "0" * 64)])
@pytest.mark.parametrize("given", [{}, {"authorization": "Bearer despina_x"}])
def test_a_body_of_nobody_is_not_read(service: Service, method: str, path: str, given: dict[str, str]) -> None:
    with service.listening() as url, opened(url) as client:
        head = [f"{method} {path} HTTP/1.1", f"Host: {url.removeprefix('http://')}", "Content-Length: 1000000",
                "Content-Type: application/json", *(f"{name}: {text}" for name, text in given.items()), "", ""]
        client.sendall("\r\n".join(head).encode())
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert b'"token"' in answer.read()


def test_a_second_signal_does_not_cut_the_drain() -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        raise AssertionError("nobody asks")
    before = signal.getsignal(signal.SIGTERM)
    with socket.create_server(("127.0.0.1", 0)) as bound:
        running = server._Server(uvicorn.Config(app, log_level="error", lifespan="off"), "http://here", lambda: None)
        with running.heeding():
            signal.raise_signal(signal.SIGTERM)
            running.run([bound])
            for each in (signal.SIGTERM, signal.SIGINT):
                signal.raise_signal(each)       # while the jobs drain
    assert signal.getsignal(signal.SIGTERM) is before


def test_who_reads_nothing_of_an_answer_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "UNREAD_S", 0.3)
    ended = threading.Event()

    async def endless() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 65536
                await asyncio.sleep(0)      # else nothing hears that the client has gone
        finally:
            ended.set()

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await StreamingResponse(endless())(scope, receive, send)
    with socket.create_server(("127.0.0.1", 0)) as bound:
        running = uvicorn.Server(uvicorn.Config(answer, http=Connection, log_level="error", lifespan="off"))
        thread = threading.Thread(target=running.run, args=[[bound]], daemon=True)
        thread.start()
        until(lambda: running.started, "listening server")
        with opened(f"http://127.0.0.1:{bound.getsockname()[1]}") as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            assert client.recv(9) == b"HTTP/1.1 "
            assert ended.wait(30)
        running.should_exit = True
        thread.join(10)
    assert not thread.is_alive()


def test_who_reads_slowly_is_not_let_go() -> None:
    left = [900, 500, 500]
    aborted: list[int] = []
    later: list[Any] = []
    client = Connection.__new__(Connection)
    client.transport = cast(Any, SimpleNamespace(get_write_buffer_size=lambda: left.pop(0), abort=lambda: aborted.append(1)))
    client.loop = cast(Any, SimpleNamespace(call_later=lambda seconds, look, before: later.append((look, before))))
    client._look(1000)
    assert (later[-1][1], aborted) == (900, [])
    for look, before in (later[-1], (client._look, 500)):
        look(before)
    assert (len(later), aborted) == (2, [1])
