"""A feed of bike stations in GBFS's form: ``GET /station_status.json``. It is a minute later with each answer, four times."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BEGIN = 1772352000
"""2026-03-01T08:00:00Z."""
DOCKS = {"harbour": [20, 19, 18, 17], "market": [3, 3, 4, 4]}


class Feed(BaseHTTPRequestHandler):
    """Answers 304 to those who have the last answer."""

    protocol_version = "HTTP/1.1"
    minute = -1

    def do_GET(self) -> None:
        """All stations, each with when it reported. The market's does so each second minute only."""
        Feed.minute = min(Feed.minute + 1, 3)
        tag = f'"{Feed.minute}"'
        if self.headers.get("If-None-Match") == tag:
            self.send_response(304)
            self.end_headers()
            return
        stations = [{"station_id": name, "num_docks_available": docks[minute], "last_reported": BEGIN + 60 * minute}
                    for name, docks in DOCKS.items()
                    for minute in [Feed.minute - Feed.minute % 2 if name == "market" else Feed.minute]]
        body = json.dumps({"last_updated": BEGIN + 60 * Feed.minute, "ttl": 60, "data": {"stations": stations}}).encode()
        self.send_response(200)
        self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8083), Feed).serve_forever()
