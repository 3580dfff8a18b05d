"""How rows come into a job that is killed, and leave it, over connections whose ends tell each other nothing of what they have:
lines over TCP, and messages of WebSockets.

So a client cannot know which of its rows were taken. It sends each row once: what was on its way is lost when the job is killed.
The job's graph writes down what its source has taken, and its other rows must be those of a run over these.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support import websockets
from support.graphs import Fields
from support.kill_ways import BATCH, PATIENCE_S, SCHEMA, Files, Row, Sent, as_csv
from support.processes import free_port, until

PIECE = 1 << 16
PATH = "/rows"
AGAIN_S = 0.02


class TcpIn(Files):
    """Rows that a client sends as lines."""

    stops = True
    answers = False

    def __init__(self, folder: Path, rows: Mapping[str, list[dict[str, Any]]], rate_per_s: float) -> None:
        """See ``Files``."""
        super().__init__(folder, rows, rate_per_s)
        self._ports: dict[str, int] = {}
        self._clients: list[threading.Thread] = []
        self._over = threading.Event()
        self._sent: dict[str, list[Sent]] = {}

    def source(self, name: str, usual: Fields) -> Fields:
        """See ``Files``."""
        self._ports[name] = free_port()
        return {"type": "tcp_source", "port": self._ports[name], "format": "json", "schema": SCHEMA,
                "event_time": usual["event_time"]}

    def begin(self) -> None:
        """See ``Files``."""
        for name in self._ports:
            self._sent[name] = []
            client = threading.Thread(target=self._give, args=[name], daemon=True)
            self._clients.append(client)
            client.start()

    def given(self) -> bool:
        """See ``Files``."""
        return not any(client.is_alive() for client in self._clients)

    def sent(self, name: str) -> Sequence[Sent]:
        """See ``Files``."""
        return self._sent[name]

    def end(self) -> None:
        """See ``Files``."""
        self._over.set()
        for client in self._clients:
            client.join(PATIENCE_S)

    def _give(self, name: str) -> None:
        left, began = self.rows[name], time.monotonic()
        while left and not self._over.is_set():
            opened_s = time.monotonic()
            try:
                connection = socket.create_connection(("127.0.0.1", self._ports[name]), timeout=PATIENCE_S)
            except OSError:
                self._over.wait(AGAIN_S)
                continue
            sent = len(self.rows[name]) - len(left)
            one = Sent(sent, sent, opened_s)
            self._sent[name].append(one)
            with connection:
                self._through(connection, self.rows[name], one, began)
            left = self.rows[name][one.end:]

    def _through(self, connection: socket.socket, rows: Sequence[dict[str, Any]], one: Sent, began: float) -> None:
        """Sends rows for as long as the other end is there, and writes down which."""
        peer = _Peer(connection)
        try:
            self.greet(connection)
            while one.end < len(rows) and not self._over.is_set():
                if not peer.is_there():
                    one.broke = True
                    return
                now = rows[one.end:one.end + BATCH]
                one.end += len(now)     # whether they come or not: they are not sent again
                connection.sendall(self.written(now))
                self._over.wait(max(0.0, began + one.end / self.rate_per_s - time.monotonic()))
            self.part(connection)
            until(lambda: self._over.is_set() or not peer.is_there(), "end of a connection whose rows were all sent", PATIENCE_S)
        except OSError:
            one.broke = True        # some of what was sent last may have come

    def greet(self, connection: socket.socket) -> None:
        """Before the first row."""

    def written(self, rows: Sequence[dict[str, Any]]) -> bytes:
        """As they travel."""
        return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    def part(self, connection: socket.socket) -> None:
        """After the last row: the other end closes when it has read all."""
        connection.shutdown(socket.SHUT_WR)


class WebSocketIn(TcpIn):
    """Rows that a client sends as messages."""

    def source(self, name: str, usual: Fields) -> Fields:
        """See ``Files``."""
        return super().source(name, usual) | {"type": "websocket_source", "path": PATH}

    def greet(self, connection: socket.socket) -> None:
        """See ``TcpIn``."""
        connection.sendall(websockets.asks(connection.getpeername()[1], PATH))
        head = b""
        while not head.endswith(websockets.HEAD_END):
            if not (more := connection.recv(1)):
                raise ConnectionResetError("it ended within the handshake")
            head += more

    def written(self, rows: Sequence[dict[str, Any]]) -> bytes:
        """See ``TcpIn``."""
        return b"".join(websockets.frame(websockets.TEXT, json.dumps(row).encode(), masked=True) for row in rows)

    def part(self, connection: socket.socket) -> None:
        """See ``TcpIn``."""
        connection.sendall(websockets.frame(websockets.CLOSE, b"\x03\xe8", masked=True))


class _Peer:
    """The other end of a connection to which all rows go."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def is_there(self) -> bool:
        """Whether it has not closed yet. What it says besides is passed over."""
        while select.select([self._connection], [], [], 0)[0]:
            try:
                if not self._connection.recv(PIECE):
                    return False
            except OSError:
                return False
        return True


class SocketOut(Files):
    """A program to which the job sends its rows, over one connection after the other of each instance.

    One thread reads all of them, older ones first: so what a process had sent before it died comes before what the next one
    sends.
    """

    def __init__(self, folder: Path, rows: Mapping[str, list[dict[str, Any]]], rate_per_s: float) -> None:
        """See ``Files``."""
        super().__init__(folder, rows, rate_per_s)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self._open: list[Taken] = []
        self._texts: list[str] = []
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.getsockname()[1])

    def _take(self) -> None:
        while not self._over.is_set():
            found, _, _ = select.select([self._server, *(each.connection for each in self._open)], [], [], AGAIN_S)
            for each in [*self._open]:
                self._texts += each.read()
                if each.is_over:
                    each.connection.close()
                    self._open.remove(each)
            if self._server in found:
                self._open.append(self.taken(self._server.accept()[0]))

    @abstractmethod
    def taken(self, connection: socket.socket) -> Taken:
        """What reads it."""

    def read(self) -> list[Row]:
        """See ``Files``."""
        until(lambda: not self._open and not select.select([self._server], [], [], 0)[0], "end of all connections", PATIENCE_S)
        return as_csv([json.loads(text) for text in self._texts])

    def end(self) -> None:
        """See ``Files``."""
        self._over.set()
        self._thread.join(PATIENCE_S)
        for each in self._open:
            each.connection.close()
        self._server.close()


class Taken:
    """One connection: lines. What stands behind the last line end was torn off, and is no row."""

    def __init__(self, connection: socket.socket) -> None:
        """:param connection: that was accepted"""
        self.connection, self.is_over = connection, False
        connection.setblocking(False)
        self._rest = b""

    def read(self) -> list[str]:
        """All that is there now."""
        found: list[str] = []
        while not self.is_over:
            try:
                more = self.connection.recv(PIECE)
            except BlockingIOError:
                break
            except OSError:
                more = b""
            self.is_over = not more
            found += self._rows(more)
        return found

    def _rows(self, more: bytes) -> list[str]:
        *lines, self._rest = (self._rest + more).split(b"\n")
        return [line.decode() for line in lines]


class TakenMessages(Taken):
    """The same of a WebSocket: text messages."""

    def __init__(self, connection: socket.socket) -> None:
        """See ``Taken``."""
        super().__init__(connection)
        self._incoming: websockets.Incoming | None = None

    def _rows(self, more: bytes) -> list[str]:
        if self._incoming is None:
            head, end, more = (self._rest + more).partition(websockets.HEAD_END)
            if not end:
                self._rest = head
                return []
            self._answer(websockets.agrees(head))
            self._incoming = websockets.Incoming()
        found = []
        for opcode, payload in self._incoming.take(more):
            if opcode == websockets.TEXT:
                found.append(payload.decode())
            elif opcode == websockets.PING:
                self._answer(websockets.frame(websockets.PONG, payload))
            elif opcode == websockets.CLOSE:
                self._answer(websockets.frame(websockets.CLOSE, payload))
                self.is_over = True
        return found

    def _answer(self, words: bytes) -> None:
        try:
            self.connection.sendall(words)
        except OSError:
            self.is_over = True


class TcpOut(SocketOut):
    """Rows that the job sends as lines."""

    def sink(self, usual: Fields) -> Fields:
        """See ``Files``."""
        return {"type": "tcp_sink", "host": "127.0.0.1", "port": self.port, "format": "json", "parallelism": usual["parallelism"]}

    def taken(self, connection: socket.socket) -> Taken:
        """See ``SocketOut``."""
        return Taken(connection)


class WebSocketOut(SocketOut):
    """Rows that the job sends as messages."""

    def sink(self, usual: Fields) -> Fields:
        """See ``Files``."""
        return {"type": "websocket_sink", "url": f"ws://127.0.0.1:{self.port}{PATH}", "format": "json",
                "parallelism": usual["parallelism"]}

    def taken(self, connection: socket.socket) -> Taken:
        """See ``SocketOut``."""
        return TakenMessages(connection)


WAYS: dict[str, type[Files]] = {"tcp in": TcpIn, "tcp out": TcpOut, "websocket in": WebSocketIn, "websocket out": WebSocketOut}
