"""A web service that prints what is posted to it."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Printer(BaseHTTPRequestHandler):
    """Prints each body."""

    def do_POST(self) -> None:
        """Answers that it has it."""
        print(self.rfile.read(int(self.headers["Content-Length"])).decode(), end="", flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing else."""


HTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8081), Printer).serve_forever()
