"""A web service that knows whose machine it is: ``GET /machines/press``."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MACHINES = {"press": {"owner": "Ann", "limit": 90.0}, "mill": {"owner": "Bob", "limit": 75.0}}


class Register(BaseHTTPRequestHandler):
    """Answers in JSON; 404 where it knows nothing."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """One machine."""
        found = MACHINES.get(self.path.rpartition("/")[2])
        body = json.dumps(found).encode()
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8082), Register).serve_forever()
