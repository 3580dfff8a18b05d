"""A server of Redis for tests: redis-server on the loopback interface, and a client of another code base."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.graphs import Fields
from support.processes import free_port, until

PROGRAM = shutil.which("redis-server") or shutil.which("redis-server", path="/usr/sbin:/usr/local/sbin")
ALWAYS = ("--appendonly", "yes", "--appendfsync", "always", "--save", "")
"""It keeps what it has acknowledged."""


class Redis:
    """A server in a process of its own."""

    def __init__(self, folder: Path, *options: str, tls: tuple[str, str] | None = None, **login: Any) -> None:
        """:param options: more of its options

        :param tls: files of a certificate and its key; then it speaks nothing else

        :param login: what the client of another code base needs
        """
        if PROGRAM is None:
            pytest.skip("no redis-server: make servers brings it, or apt install redis-server")
        self._redis: Any = pytest.importorskip("redis", reason="the client that counts is of the extra dev")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.port = free_port()
        self.url = f"redis{'s' if tls else ''}://127.0.0.1:{self.port}"
        self._login = login if tls is None else {**login, "ssl": True, "ssl_ca_certs": tls[0]}
        self._options = ["--port", str(self.port), *options] if tls is None else [
            "--port", "0", "--tls-port", str(self.port), "--tls-cert-file", tls[0], "--tls-key-file", tls[1],
            "--tls-auth-clients", "no", *options]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Redis:
        """Starts it, in the folder that an earlier start has left."""
        assert PROGRAM is not None
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen([PROGRAM, "--bind", "127.0.0.1", "--dir", str(self.folder),
                                              *ALWAYS, *self._options], stdout=log, stderr=log)
        until(self._answers, f"server at {self.url}: {self.folder / 'redis.log'}")
        return self

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "redis.log").read_text()[-2000:]
        try:
            return bool(self.client().ping())
        except (self._redis.exceptions.ConnectionError, self._redis.exceptions.TimeoutError):
            return False

    def client(self) -> Any:
        """The other client; it connects when it is used."""
        return self._redis.Redis("127.0.0.1", self.port, **self._login)

    def kill(self) -> None:
        """Ends it at once, as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(60)
            self._process = None

    def freeze(self) -> None:
        """It takes and answers nothing more."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Ends it, and removes what it has written."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

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


def servers(folder: Path) -> Iterator[Redis]:
    """For a fixture: one that runs as long as the tests that share it."""
    server = Redis(folder)
    try:
        yield server.start()
    finally:
        server.close()


def source(server: Redis, *streams: str, **fields: Any) -> Fields:
    """Of lines of text to the end of the streams, unless the fields say more."""
    return {"type": "redis_source", "server": server.url, "streams": list(streams), "format": "text", "stop_at": "end", **fields}


def sink(server: Redis, **fields: Any) -> Fields:
    """Of JSON, unless the fields say more."""
    return {"type": "redis_sink", "server": server.url, "format": "json", **fields}
