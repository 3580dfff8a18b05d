"""A PostgreSQL of a test's own: on a free port of this machine, in a folder of its own, as somebody who is not root."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.databases import jar
from support.graphs import Fields
from support.processes import alive, children, until

DRIVER = "org.postgresql.Driver"
PROGRAMS = Path("/usr/lib/postgresql")
OPTIONS = "-h 127.0.0.1 -k '' -c max_connections=40"


def driver_jar() -> Path:
    """The driver's jar, as Gradle has fetched it."""
    return jar("org.postgresql", "postgresql")


def programs() -> Path:
    """The folder of the newest version's programs; skips the test where there is none."""
    found = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if not found:
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    return found[-1].parent


class Postgres:
    """A server. Its superuser ``postgres`` needs no password; ``locked`` would need one."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self.port = port

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def create(self) -> None:
        """Makes its folder, and starts it."""
        if user := _user():
            shutil.chown(self._folder, user)
        self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        access = self._folder / "data" / "pg_hba.conf"
        access.write_text("host all locked 127.0.0.1/32 scram-sha-256\n" + access.read_text())
        self.start()

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        self._run("pg_ctl", "-D", self._data, "-w", "-t", "60", "-l", str(self._folder / "log"), "-o",
                  f"-p {self.port} {OPTIONS}", "start")

    def kill(self) -> None:
        """Kills all its processes at once."""
        file = self._folder / "data" / "postmaster.pid"
        if not file.exists():
            return
        postmaster = int(file.read_text().split()[0])
        if not alive(postmaster):
            return
        os.kill(postmaster, signal.SIGSTOP)         # else it could begin one more meanwhile
        pids = [postmaster, *children(postmaster)]
        for pid in pids:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
        until(lambda: not any(map(alive, pids)), "end of the database's processes")
        file.unlink()           # the next one would take a process for alive that nobody has waited for

    def _run(self, program: str, *arguments: str) -> None:
        user = _user()
        group = "nogroup" if user == "nobody" else user
        inside = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--"] if user else []
        with tempfile.TemporaryFile() as said:
            done = subprocess.run([*inside, str(programs() / program), *arguments], cwd="/tmp", stdin=subprocess.DEVNULL,
                                  stdout=said, stderr=said, check=False)
            said.seek(0)
            log = self._folder / "log"
            assert done.returncode == 0, said.read().decode() + (log.read_text()[-2000:] if log.exists() else "")

    def execute(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What the statement gives, asked by a client of another code base."""
        import psycopg
        with psycopg.connect(host="127.0.0.1", port=self.port, user="postgres", dbname="postgres",
                             autocommit=True) as connection:
            found = connection.execute(statement, parameters or None)
            return found.fetchall() if found.description else []

    def url(self, schema: str = "public") -> str:
        """How its driver reaches it."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres?currentSchema={schema}"

    def connection(self, schema: str = "public", **fields: object) -> Fields:
        """How an operator reaches it."""
        return {"url": self.url(schema), "driver": DRIVER, "user": "postgres", **fields}


def _user() -> str | None:
    """Who runs it, where that must be another."""
    if getpass.getuser() != "root":
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in known)


@contextmanager
def running() -> Iterator[Postgres]:
    """A server that is gone in the end."""
    programs()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="despina-postgres"))
    server = Postgres(folder, port)
    try:
        server.create()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder)
