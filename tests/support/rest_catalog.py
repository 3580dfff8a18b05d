"""A REST catalog of Iceberg's for tests: its few calls on one loopback port, in front of a catalog of pyiceberg's."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

from pyiceberg.catalog.rest import CreateTableRequest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.table import CommitTableRequest, Table
from pyiceberg.table.metadata import TableMetadata, new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER

Answer = tuple[int, dict[str, Any]]
NAMESPACE = "lake"


class RestCatalog:
    """The tables of one namespace, and what a client must say to see them.

    :ivar token: that clients must have; empty for none
    :ivar asked: paths, with their queries
    :ivar unknown: so many of the next changes are made, and answered by 503
    """

    def __init__(self, folder: Path, location: str, files: dict[str, str]) -> None:
        """:param location: below which tables are made; :param files: where pyiceberg finds them"""
        self.catalog = SqlCatalog("rest", uri=f"sqlite:///{folder}/rest.db", warehouse=location, **files)
        self.catalog.create_namespace(NAMESPACE)
        self._location = location
        self.token = ""
        self.asked: list[str] = []
        self.unknown = 0
        self._lock = threading.Lock()
        self._goes_on = threading.Event()
        self._goes_on.set()
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self.start()

    def start(self) -> RestCatalog:
        """Listens, at the port of an earlier start."""
        catalog = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                catalog.await_thaw()
                said = None if catalog.is_gone(self.server) else catalog.answer(
                    self.command, self.path, body, self.headers.get("Authorization", ""))
                if said is None or catalog.is_gone(self.server):      # what it has done is done
                    self.close_connection = True
                    return
                code, content = said
                text = json.dumps(content).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = _answer        # noqa: N815 (of the library)
            do_POST = _answer       # noqa: N815 (of the library)

            def log_message(self, format: str, *args: object) -> None:
                """Tests tell what went wrong."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self._port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self._port}"
        return self

    def is_gone(self, server: object) -> bool:
        """Whether it listens no more."""
        return server is not self._server

    def freeze(self) -> None:
        """Takes questions, and answers none."""
        self._goes_on.clear()

    def thaw(self) -> None:
        """Goes on."""
        self._goes_on.set()

    def await_thaw(self) -> None:
        """Until it goes on."""
        self._goes_on.wait()

    def kill(self) -> None:
        """Answers no more, not even what it is doing."""
        ended, self._server = self._server, None
        if ended is not None:
            ended.shutdown()
            ended.server_close()

    def answer(self, method: str, path: str, body: str, authorization: str) -> Answer:
        """Status and content."""
        self.asked.append(path)
        parts = [unquote(part) for part in urlsplit(path).path.strip("/").split("/")]
        if parts == ["token"]:
            known = parse_qs(body).get("client_secret") == ["secret"]
            return (200, {"access_token": self.token, "token_type": "bearer", "expires_in": 3600}) if known \
                else (401, {"error": "invalid_client"})
        if self.token and authorization != f"Bearer {self.token}":
            return _error(401, "NotAuthorizedException", "who are you?")
        if parts == ["v1", "config"]:
            return 200, {"defaults": {}, "overrides": {}}
        if parts[:4] != ["v1", "namespaces", NAMESPACE, "tables"]:
            return _error(404, "NoSuchNamespaceException", f"there is no {path}")
        with self._lock:
            if len(parts) == 4:
                return self._staged(CreateTableRequest.model_validate_json(body))
            return self._table(parts[4]) if method == "GET" else self._changed(parts[4], json.loads(body))

    def _table(self, name: str) -> Answer:
        try:
            found = self.catalog.load_table((NAMESPACE, name))
        except NoSuchTableError as none:
            return _error(404, "NoSuchTableException", str(none))
        return 200, _response(found.metadata_location, found.metadata)

    def _staged(self, asked: CreateTableRequest) -> Answer:
        if self.catalog.table_exists((NAMESPACE, asked.name)):
            return _error(409, "AlreadyExistsException", f"there is a table {asked.name}")
        return 200, _response(None, new_table_metadata(
            asked.table_schema, asked.partition_spec or UNPARTITIONED_PARTITION_SPEC, asked.write_order or UNSORTED_SORT_ORDER,
            asked.location or f"{self._location}/{NAMESPACE}/{asked.name}", asked.properties))

    def _changed(self, name: str, body: dict[str, Any]) -> Answer:
        asked = CommitTableRequest.model_validate({"identifier": {"namespace": [NAMESPACE], "name": name}, **body})
        named = cast(Table, SimpleNamespace(name=lambda: (NAMESPACE, name)))
        try:
            made = self.catalog.commit_table(named, asked.requirements, asked.updates)
        except CommitFailedException as why:
            return _error(409, "CommitFailedException", str(why))
        if self.unknown:
            self.unknown -= 1
            return _error(503, "ServiceUnavailable", "perhaps")
        return 200, _response(made.metadata_location, made.metadata)


def _response(location: str | None, metadata: TableMetadata) -> dict[str, Any]:
    content = {"metadata": json.loads(metadata.model_dump_json()), "config": {}}
    return {**content, "metadata-location": location} if location else content


def _error(code: int, kind: str, message: str) -> Answer:
    return code, {"error": {"message": message, "type": kind, "code": code}}


@contextmanager
def running(folder: Path, location: str, **files: str) -> Iterator[RestCatalog]:
    """A catalog; gone in the end."""
    started = RestCatalog(folder, location, files)
    try:
        yield started
    finally:
        started.kill()
