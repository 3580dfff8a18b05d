"""Orders by Bayeux: ``POST /cometd`` with the token ``demo``.

It breaks off its second answer, forgets a client, is too busy once, and gives the last event again to whoever subscribes.
"""

from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

CHANNEL = "/topic/orders"
ORDERS = [
    {"at": "2026-03-01T08:00:01Z", "id": "A1", "status": "paid"},
    {"at": "2026-03-01T08:00:07Z", "id": "A1", "status": "shipped"},
    {"at": "2026-03-01T08:00:09Z", "id": "B7", "status": "paid"},
    {"at": "2026-03-01T08:00:31Z", "id": "B7", "status": "shipped"},
    {"at": "2026-03-01T08:00:40Z", "id": "C3", "status": "cancelled"},
]
GIVEN = {1: [2, "break"], 2: [3, "forget"], 3: ["busy"], 4: [4, "nothing", 5]}
"""Of each client what its questions get: the events up to a number, or something else."""
HOLD_S = 0.2
"""How long it keeps a question until there is news; a real one does for minutes."""
numbers = count(1)
asked: dict[str, list[Any]] = {}
"""Of each client the number of the event before the next one, and what is left of the above."""


class Cometd(BaseHTTPRequestHandler):
    """Answers one message at a time."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One question."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))[0]
        if self.headers.get("Authorization") != "Bearer demo":
            self.send_error(401)
            return
        kind, client = message["channel"].rpartition("/")[2], message.get("clientId", "")
        if kind == "handshake":
            client = str(next(numbers))
            asked[client] = [0, *GIVEN.get(int(client), [])]
            self.give([{**done(message), "clientId": client, "supportedConnectionTypes": ["long-polling"]}])
        elif client not in asked:
            self.give([unknown(message)])
        elif kind == "subscribe":
            asked[client][0] = max(0, message["ext"]["replay"][CHANNEL] - 1)
            self.give([{**done(message), "subscription": CHANNEL}])
        else:
            self.connect(message, client)

    def connect(self, message: dict[str, Any], client: str) -> None:
        """The events that are new to a client, once there are some."""
        before, what = asked[client][0], asked[client].pop(1)
        time.sleep(HOLD_S)
        if what == "forget":
            del asked[client]
            self.give([unknown(message)])
        elif what == "busy":
            self.send_response(503)
            self.send_header("Retry-After", "1")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif what == "break":
            self.give([event(before + 1), done(message)], part=40)
        else:
            last = before if what == "nothing" else what
            asked[client][0] = last
            advice = {"reconnect": "none" if last == len(ORDERS) else "retry", "interval": 0, "timeout": 1000 * HOLD_S}
            self.give([*map(event, range(before + 1, last + 1)), {**done(message), "advice": advice}])

    def give(self, messages: list[dict[str, Any]], part: int | None = None) -> None:
        """Sends an answer, or so many bytes of it."""
        body = json.dumps(messages).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:part])
        self.close_connection = part is not None

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


def done(message: dict[str, Any]) -> dict[str, Any]:
    """That a message is taken."""
    return {"channel": message["channel"], "successful": True}


def unknown(message: dict[str, Any]) -> dict[str, Any]:
    """That the client is none."""
    return {**done(message), "successful": False, "error": "402::Unknown client", "advice": {"reconnect": "handshake"}}


def event(number: int) -> dict[str, Any]:
    """An order as an event."""
    return {"channel": CHANNEL, "data": {"event": {"replayId": number}, "sobject": ORDERS[number - 1]}}


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8085), Cometd).serve_forever()
