"""A stream of posts: ``GET /stream`` with the token ``demo``. It breaks within the third post, and repeats one afterwards."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

POSTS = [
    {"created_at": "2026-03-01T08:00:01Z", "language": "en", "tags": ["sensors", "spark"]},
    {"created_at": "2026-03-01T08:00:20Z", "language": "fr", "tags": ["sensors"]},
    {"created_at": "2026-03-01T08:00:41Z", "language": "en", "tags": ["sensors"]},
    {"created_at": "2026-03-01T08:01:05Z", "language": "en", "tags": ["bikes"]},
]


class Stream(BaseHTTPRequestHandler):
    """Answers in chunks, so that a break is told from the end."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """The posts behind ``Last-Event-ID``, and that one again."""
        if self.headers.get("Authorization") != "Bearer demo":
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        last = self.headers.get("Last-Event-ID")
        for number, post in enumerate(POSTS, 1):
            event = f": keep-alive\n\nid: {number}\ndata: {json.dumps(post)}\n\n".encode()
            if number >= int(last or 1):
                if last is None and number == 3:
                    self.wfile.write(b"%x\r\n" % len(event) + event[:40])
                    self.close_connection = True
                    return
                self.wfile.write(b"%x\r\n" % len(event) + event + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8084), Stream).serve_forever()
