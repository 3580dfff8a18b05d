"""A server of NATS by a script: it has one stream, and answers as servers of 2.10 and later do; Debian has an older one."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Sequence
from typing import Any, ClassVar

STREAM = "numbers"
CREATED = "2026-01-01T00:00:00Z"


class ScriptedNats:
    """Listens until it is closed.

    :param numbers: those of the messages of the stream; the value of each is its number
    :param gone: how many of them, at the end, are removed before they are sent, though the consumer was told that they wait
    """

    def __init__(self, numbers: Sequence[int], gone: int = 0) -> None:
        self.numbers = numbers
        self.sent = numbers[:len(numbers) - gone]
        self.consumers = 0
        self.infos = 0
        """Questions for the stream."""
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), type("Bound", (_Client,), {"server_of": self}))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"nats://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Listens no more."""
        self._server.shutdown()
        self._server.server_close()


class _Client(socketserver.StreamRequestHandler):
    """A connection, with at most one consumer."""

    server_of: ClassVar[ScriptedNats]

    def handle(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._subscriptions: dict[str, str] = {}
        self._left: list[int] = []
        self._delivered = 0
        info = {"server_id": "S", "server_name": "s", "version": "2.14.0", "proto": 1, "headers": True, "max_payload": 1 << 20,
                "jetstream": True, "host": "127.0.0.1", "port": 4222, "go": "go"}
        self._say(f"INFO {json.dumps(info)}")
        try:
            for line in self.rfile:
                self._do(line.decode().split())
        except ConnectionError:
            return

    def _say(self, line: str, content: bytes | None = None) -> None:
        self.wfile.write(line.encode() + b"\r\n" + (b"" if content is None else content + b"\r\n"))

    def _do(self, words: list[str]) -> None:
        match words:
            case ["PING"]:
                self._say("PONG")
            case ["SUB", subject, *_, number]:
                self._subscriptions[subject.removesuffix("*")] = number
            case ["PUB", subject, reply, length]:
                content = self.rfile.read(int(length) + 2)
                self._asked(subject.removeprefix("$JS.API.").split("."), reply, content)

    def _to(self, reply: str) -> str:
        """The subscription that gets what is sent there."""
        return next(number for prefix, number in self._subscriptions.items() if reply.startswith(prefix))

    def _asked(self, subject: list[str], reply: str, content: bytes) -> None:
        of = self.server_of
        match subject:
            case ["STREAM", "INFO", _]:
                of.infos += 1
                self._answer(reply, config={"name": STREAM, "subjects": [STREAM], "retention": "limits"}, created=CREATED,
                             state={"messages": len(of.numbers), "first_seq": 1, "last_seq": of.numbers[-1]})
            case ["CONSUMER", "CREATE", _, name, *_]:
                of.consumers += 1
                start = json.loads(content)["config"]["opt_start_seq"]
                self._left = [number for number in of.sent if number >= start]
                self._answer(reply, **self._consumer(name, sum(number >= start for number in of.numbers)))
            case ["CONSUMER", "INFO", _, name]:
                self._answer(reply, **self._consumer(name, len(self._left)))
            case ["CONSUMER", "DELETE", *_]:
                self._answer(reply, success=True)
            case ["CONSUMER", "MSG", "NEXT", _, name]:
                self._give(reply, name, json.loads(content))

    def _answer(self, reply: str, **fields: Any) -> None:
        content = json.dumps(fields).encode()
        self._say(f"MSG {reply} {self._to(reply)} {len(content)}", content)

    def _consumer(self, name: str, waiting: int) -> dict[str, Any]:
        return {"stream_name": STREAM, "name": name, "created": CREATED, "config": {}, "num_pending": waiting,
                "delivered": {"consumer_seq": self._delivered, "stream_seq": 0}}

    def _give(self, reply: str, name: str, question: dict[str, Any]) -> None:
        taken, self._left = self._left[:question["batch"]], self._left[question["batch"]:]
        gone = len(self.server_of.numbers) - len(self.server_of.sent)
        for k, number in enumerate(taken, 1):
            self._delivered += 1
            waiting = len(taken) - k + len(self._left) + gone
            ack = f"$JS.ACK.{STREAM}.{name}.1.{number}.{self._delivered}.1767225600000000000.{waiting}"
            content = str(number).encode()
            self._say(f"MSG {STREAM} {self._to(reply)} {ack} {len(content)}", content)
        if len(taken) == question["batch"] and "max_bytes" in question:
            head = b"NATS/1.0 409 Batch Completed\r\nNats-Pending-Messages: 0\r\nNats-Pending-Bytes: 1000\r\n\r\n"
            self._say(f"HMSG {reply} {self._to(reply)} {len(head)} {len(head)}", head)
