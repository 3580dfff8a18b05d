"""How rows come into a job that is killed, and how they leave it: ends that take part in its recovery.

A way is made for one round. It has fields of the graph's sources and sinks, and what plays the other side.
"""

from __future__ import annotations

import csv
import http.client
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from support import rows_program
from support.graphs import Fields
from support.processes import free_port

SCHEMA = "k STRING, n BIGINT, v INT, ts TIMESTAMP"
ROWS_PER_TIME_S = 100
"""So many rows of a source have times in one second."""
BATCH = 40
PATIENCE_S = 60.0
Row = tuple[str, ...]
"""As a csv file has it."""


def as_csv(rows: list[dict[str, Any]]) -> list[Row]:
    """Rows as a csv file has them; one that lacks a column has NULL there."""
    columns = max(([*row] for row in rows), key=len, default=[])
    return [tuple("" if row.get(column) is None else str(row[column]) for column in columns) for row in rows]


@dataclass
class Sent:
    """What a client has sent over one connection: its rows from one number to before another.

    :ivar opened_s: when it began to connect, by the clock that only goes on
    :ivar broke: whether the other end had gone before it said that these are all
    """

    first: int
    end: int
    opened_s: float
    broke: bool = False

    def may_lose(self, killed_s: float) -> bool:
        """Whether its last rows may be missing. :param killed_s: see :class:`support.kills.Found`"""
        return self.broke or self.opened_s <= killed_s


class Files:
    """Rows that the source makes, and files."""

    stops = False
    """Whether its sources have no end, so that the job is to be stopped when all is given."""
    answers = True
    """Whether who gives it rows knows which of them were taken. What else was on its way may be lost."""
    remembers = False
    """Whether who gets its rows knows which of them came before, and leaves those out."""

    def __init__(self, folder: Path, rows: Mapping[str, list[dict[str, Any]]], rate_per_s: float) -> None:
        """:param rows: of each source that is to be given rows"""
        self.folder, self.rows, self.rate_per_s = folder, rows, rate_per_s

    def source(self, name: str, usual: Fields) -> Fields:
        """The fields of a source. :param usual: those of one that makes its rows"""
        del name
        return usual

    def sink(self, usual: Fields) -> Fields:
        """The fields of the sink. :param usual: those of one that writes files"""
        return usual

    def program(self) -> list[str | Path]:
        """What runs the graph: the command, or a script that takes the same arguments."""
        return ["-m", "despina"]

    def begin(self) -> None:
        """The job runs for the first time."""

    def given(self) -> bool:
        """Whether the job has taken all that it is given."""
        return True

    def sent(self, name: str) -> Sequence[Sent]:
        """The connections over which a client that has no answers has sent a source its rows, in their order."""
        del name
        return []

    def read(self) -> list[Row] | None:
        """What came out, in its order; None where files have it."""
        return None

    def end(self) -> None:
        """The round is over."""


class FileIn(Files):
    """Rows from csv files, which are read at a rate."""

    def source(self, name: str, usual: Fields) -> Fields:
        """See ``Files``."""
        folder = self.folder / f"in-{name}"
        folder.mkdir()
        rows = self.rows[name]
        third = len(rows) // 3
        for part in range(3):
            with (folder / f"{part}.csv").open("w", newline="") as out:
                csv.writer(out).writerows(row.values() for row in rows[part * third:(part + 1) * third if part < 2 else None])
        pace = {"replay": {"type": "event_time", "speed": self.rate_per_s / ROWS_PER_TIME_S}} if self.rate_per_s else {}
        return {"type": "file_source", "path": str(folder), "format": "csv", "schema": SCHEMA,
                "event_time": usual["event_time"], **pace}


class HttpIn(Files):
    """Rows that a client posts. It sends a request again, under its key, until it has the answer that the rows are taken."""

    stops = True

    def __init__(self, folder: Path, rows: Mapping[str, list[dict[str, Any]]], rate_per_s: float) -> None:
        """See ``Files``."""
        super().__init__(folder, rows, rate_per_s)
        self._ports: dict[str, int] = {}
        self._clients: list[threading.Thread] = []
        self._over = False
        self._wrong: list[str] = []

    def source(self, name: str, usual: Fields) -> Fields:
        """See ``Files``."""
        self._ports[name] = free_port()
        return {"type": "http_source", "port": self._ports[name], "path": "/rows", "format": "json", "schema": SCHEMA,
                "event_time": usual["event_time"]}

    def begin(self) -> None:
        """See ``Files``."""
        for name in self._ports:
            client = threading.Thread(target=self._post, args=[name], daemon=True)
            self._clients.append(client)
            client.start()

    def given(self) -> bool:
        """See ``Files``."""
        assert not self._wrong, self._wrong
        return not any(client.is_alive() for client in self._clients)

    def _post(self, name: str) -> None:
        rows, began = self.rows[name], time.monotonic()
        for first in range(0, len(rows), BATCH):
            body = "\n".join(json.dumps(row) for row in rows[first:first + BATCH])
            while not self._over and not self._taken(name, f"{name}-{first}", body):
                time.sleep(0.02)
            time.sleep(max(0.0, began + first / self.rate_per_s - time.monotonic()))

    def _taken(self, name: str, key: str, body: str) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self._ports[name], timeout=PATIENCE_S)
        try:
            connection.request("POST", "/rows", body, {"Idempotency-Key": key, "Content-Type": "application/json"})
            answer = connection.getresponse()
            said = answer.read().decode()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        if answer.status not in (200, 429, 503):
            self._wrong.append(f"{answer.status} {said}")
        return answer.status == 200

    def end(self) -> None:
        """See ``Files``."""
        self._over = True
        for client in self._clients:
            client.join(PATIENCE_S)


class HttpOut(Files):
    """Rows that the job posts to a server. It answers a batch once, and again with the same under the same key."""

    remembers = True

    def __init__(self, folder: Path, rows: Mapping[str, list[dict[str, Any]]], rate_per_s: float) -> None:
        """See ``Files``."""
        super().__init__(folder, rows, rate_per_s)
        self._batches: dict[str, str] = {}
        self._lock = threading.Lock()
        way = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.send_response(way.take(self.headers["Idempotency-Key"], body))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *arguments: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, key: str, body: str) -> int:
        """The answer to a batch; one that comes again must be the same."""
        with self._lock:
            return 200 if self._batches.setdefault(key, body) == body else 422

    def sink(self, usual: Fields) -> Fields:
        """See ``Files``."""
        return {"type": "http_sink", "url": f"http://127.0.0.1:{self._server.server_address[1]}/rows", "format": "json",
                "parallelism": usual["parallelism"], "batch_rows": 25}

    def read(self) -> list[Row]:
        """See ``Files``."""
        return as_csv([json.loads(line) for body in self._batches.values() for line in body.splitlines()])

    def end(self) -> None:
        """See ``Files``."""
        self._server.shutdown()
        self._server.server_close()


class PythonIn(Files):
    """Rows that the program gives which runs the graph, and gives again from where the job has them when it runs again."""

    def source(self, name: str, usual: Fields) -> Fields:
        """See ``Files``."""
        (self.folder / f"in-{name}.json").write_text(json.dumps(self.rows[name]))
        return {"type": "file_source", "path": "none.csv", "format": "csv", "schema": SCHEMA,
                "event_time": usual["event_time"]}

    def program(self) -> list[str | Path]:
        """See ``Files``."""
        return [Path(__file__).with_name("rows_program.py"), self.folder, str(self.rate_per_s)]


class PythonOut(Files):
    """Rows that the program takes which runs the graph. It writes down how far it has come, and takes what follows when it runs
    again.
    """

    def sink(self, usual: Fields) -> Fields:
        """See ``Files``."""
        return {"type": "collect_sink", "parallelism": usual["parallelism"]}

    def program(self) -> list[str | Path]:
        """See ``Files``."""
        return [Path(__file__).with_name("rows_program.py"), self.folder, str(self.rate_per_s)]

    def read(self) -> list[Row]:
        """See ``Files``."""
        return as_csv([row for batch in rows_program.taken(self.folder) for row in batch["rows"]])


class Both(Files):
    """Rows that come in by one way and leave by another."""

    def __init__(self, comes: Files, leaves: Files) -> None:
        """:param comes: neither may need a program of its own"""
        super().__init__(comes.folder, comes.rows, comes.rate_per_s)
        self._comes, self._leaves = comes, leaves
        self.stops, self.answers, self.remembers = comes.stops, comes.answers, leaves.remembers

    def source(self, name: str, usual: Fields) -> Fields:
        """See ``Files``."""
        return self._comes.source(name, usual)

    def sink(self, usual: Fields) -> Fields:
        """See ``Files``."""
        return self._leaves.sink(usual)

    def begin(self) -> None:
        """See ``Files``."""
        self._comes.begin()

    def given(self) -> bool:
        """See ``Files``."""
        return self._comes.given()

    def sent(self, name: str) -> Sequence[Sent]:
        """See ``Files``."""
        return self._comes.sent(name)

    def read(self) -> list[Row] | None:
        """See ``Files``."""
        return self._leaves.read()

    def end(self) -> None:
        """See ``Files``."""
        self._comes.end()
        self._leaves.end()


WAYS: dict[str, type[Files]] = {"files": Files, "file in": FileIn, "http in": HttpIn, "http out": HttpOut,
                               "python in": PythonIn, "python out": PythonOut}
