"""A web API as real ones are: a token server, pages with the newest record first, a stream of events that breaks and repeats."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from urllib.parse import parse_qs, urlsplit

from support.graphs import Fields

PAGE = 25
"""Records of a page."""
REQUESTS = 20
"""After so many a token has ended, whatever its server had said."""
BREAKS = 37
"""After so many events the stream breaks, within the next one."""
SCHEMA = "id BIGINT, text STRING"


class Web:
    """Numbered records. Those who ask need a token that lives for some requests only."""

    def __init__(self) -> None:
        self.count = 0
        self.tokens = 0
        self.left: dict[str, int] = {}
        self.closed = False
        self.grown = Condition()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def grow(self, more: int) -> None:
        """There are so many more records."""
        with self.grown:
            self.count += more
            self.grown.notify_all()

    def login(self) -> Fields:
        """As a source logs in."""
        return {"oauth2": {"token_url": f"{self.url}/token", "client_id": "me", "client_secret_env": "WEB_SECRET"}}

    def polled(self) -> Fields:
        """A source that asks for the records."""
        return {"type": "http_poll_source", "url": f"{self.url}/items", "every_ms": 50, "format": "json", "records": "/items",
                "schema": SCHEMA, "cursor": {"column": "id", "parameter": "since"}, **self.login()}

    def streamed(self) -> Fields:
        """A source that takes the events."""
        return {"type": "http_stream_source", "url": f"{self.url}/stream", "framing": "events", "format": "json",
                "schema": SCHEMA, **self.login()}

    def serve(self) -> None:
        """Until it is closed."""
        self._server.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        """Ends the streams too."""
        with self.grown:
            self.closed = True
            self.grown.notify_all()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    def __init__(self, web: Web) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.web = web


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.web.tokens += 1
        self.server.web.left[f"Bearer token-{self.server.web.tokens}"] = REQUESTS
        self._answer(200, {"access_token": f"token-{self.server.web.tokens}", "token_type": "bearer", "expires_in": 3600})

    def do_GET(self) -> None:
        token = self.headers.get("Authorization", "")
        self.server.web.left[token] = self.server.web.left.get(token, 0) - 1
        if self.server.web.left[token] < 0:
            self._answer(401, {"message": "the token has ended"})
        elif self.path.startswith("/stream"):
            self._stream()
        else:
            self._page()

    def _page(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        since, page = (int(asked.get(name, ["0"])[0]) for name in ("since", "page"))
        newest = list(range(self.server.web.count, max(0, since - 1), -1))
        shown = newest[page * PAGE:(page + 1) * PAGE]
        more = {"Link": f'</items?since={since}&page={page + 1}>; rel="next"'} if (page + 1) * PAGE < len(newest) else {}
        self._answer(200, {"items": [{"id": number, "text": f"r{number}"} for number in shown]}, more)

    def _stream(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        web = self.server.web
        begin = max(1, int(self.headers.get("Last-Event-ID", "1")))
        for number in range(begin, begin + BREAKS):
            with web.grown:
                while not web.closed and number > web.count:
                    web.grown.wait()
            if web.closed:
                return
            self.wfile.write(f'id: {number}\ndata: {{"id": {number},\ndata: "text": "r{number}"}}\n\n:\n'.encode())
            self.wfile.flush()
        self.wfile.write(b"id: 999999\ndata: {")

    def _answer(self, status: int, content: Fields, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


@contextmanager
def running() -> Iterator[Web]:
    """A web API for as long as it is wanted."""
    web = Web()
    thread = Thread(target=web.serve, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        web.close()
        thread.join()


def numbers(text: str) -> list[int]:
    """The numbers of records in lines of JSON, sorted."""
    return sorted(int(number) for number in re.findall(r'"id":(\d+)', text))
