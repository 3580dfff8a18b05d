"""A server of Redis for tests: redis-server on the loopback interface, and a client of another code base."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from support.graphs import Fields
from support.servers import ServerProcess

PROGRAM = shutil.which("redis-server") or shutil.which("redis-server", path="/usr/sbin:/usr/local/sbin")
ALWAYS = ("--appendonly", "yes", "--appendfsync", "always", "--save", "")
"""It keeps what it has acknowledged."""


class Redis(ServerProcess):
    """A server in a process of its own."""

    def __init__(self, folder: Path, *options: str, tls: tuple[str, str] | None = None, **login: Any) -> None:
        """:param options: more of its options

        :param tls: files of a certificate and its key; then it speaks nothing else

        :param login: what the client of another code base needs
        """
        if PROGRAM is None:
            pytest.skip("no redis-server: make servers brings it, or apt install redis-server")
        self._redis: Any = pytest.importorskip("redis", reason="the client that counts is of the extra dev")
        super().__init__(folder)
        self.url = f"redis{'s' if tls else ''}://127.0.0.1:{self.port}"
        self._login = login if tls is None else {**login, "ssl": True, "ssl_ca_certs": tls[0]}
        self._options = ["--port", str(self.port), *options] if tls is None else [
            "--port", "0", "--tls-port", str(self.port), "--tls-cert-file", tls[0], "--tls-key-file", tls[1],
            "--tls-auth-clients", "no", *options]

    def _command(self) -> list[str]:
        return [str(PROGRAM), "--bind", "127.0.0.1", "--dir", str(self.folder), *ALWAYS, *self._options]

    def _answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except (self._redis.exceptions.ConnectionError, self._redis.exceptions.TimeoutError):
            return False

    def client(self) -> Any:
        """The other client; it connects when it is used."""
        return self._redis.Redis("127.0.0.1", self.port, **self._login)

    def send(self, stream: str, values: Iterable[str | bytes], **more: str) -> None:
        """Adds entries, each with a value and maybe more fields."""
        with self.client() as client:
            pipe = client.pipeline(transaction=False)
            for value in values:
                pipe.xadd(stream, {"value": value, **more})
            pipe.execute()

    def read(self, stream: str) -> list[dict[bytes, bytes]]:
        """The fields of all entries of a stream, in their order."""
        with self.client() as client:
            return [fields for _, fields in client.xrange(stream)]


def source(server: Redis, *streams: str, **fields: Any) -> Fields:
    """Of lines of text to the end of the streams, unless the fields say more."""
    return {"type": "redis_source", "server": server.url, "streams": list(streams), "format": "text", "stop_at": "end", **fields}


def sink(server: Redis, **fields: Any) -> Fields:
    """Of JSON, unless the fields say more."""
    return {"type": "redis_sink", "server": server.url, "format": "json", **fields}
