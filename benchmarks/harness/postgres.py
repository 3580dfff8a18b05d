"""A PostgreSQL of a run's own: on a free port of this machine, in a folder of its own, as somebody who is not root."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from despina.errors import StartError
from harness.processes import alive, children, free_ports

DRIVER = "org.postgresql.Driver"
PROGRAMS = Path("/usr/lib/postgresql")
OPTIONS = ("-h", "127.0.0.1", "-k", "", "-c", "max_connections=40", "-c", "max_wal_size=4GB")
START_S = 60.0
END_S = 30.0
LOOK_S = 0.01


def programs() -> Path:
    """The folder of the newest version's programs.

    :raise StartError: there is none
    """
    found = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if not found:
        raise StartError("postgres_missing", "PostgreSQL is not installed", "apt install postgresql")
    return found[-1].parent


def jar(group: str, name: str) -> Path:
    """A jar that the JVM's tests have, as Gradle has fetched it.

    :raise StartError: it has not
    """
    gradle = Path(os.environ.get("GRADLE_USER_HOME", Path.home() / ".gradle"))
    found = sorted(gradle.glob(f"caches/modules-2/files-2.1/{group}/{name}/*/*/{name}-*.jar"))
    jars = [each for each in found if not each.stem.endswith(("-sources", "-javadoc"))]
    if not jars:
        raise StartError("jar_missing", f"no jar of {name} in {gradle}",
                         "the JVM's tests fetch it: tools/gradle.sh testClasses")
    return jars[-1]


def driver_jar() -> Path:
    """The jar of PostgreSQL's driver."""
    return jar("org.postgresql", "postgresql")


def needed() -> None:
    """An experiment's need: the server and its driver.

    :raise StartError: what is missing
    """
    programs()
    driver_jar()


class Server:
    """A server. Its superuser ``postgres`` needs no password; ``locked`` would need one."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._frozen: list[int] = []
        self.port = port

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def create(self, made: Path | None = None) -> None:
        """Makes its folder, and starts it.

        :param made: one that was made before, to be copied; or where to leave a copy, if there is none
        """
        if user := _user():
            shutil.chown(self._folder, user)
        if made is not None and made.is_dir():
            subprocess.run(["cp", "-a", str(made), self._data], check=True)
            self.start()
            return
        self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        access = self._folder / "data" / "pg_hba.conf"
        access.write_text("host all locked 127.0.0.1/32 scram-sha-256\n" + access.read_text())
        if made is not None:
            subprocess.run(["cp", "-a", self._data, str(made)], check=True)
        self.start()

    def start(self) -> None:
        """Starts it as a child of this process, and waits until it answers.

        :raise StartError: it does not, with what it said
        """
        log = self._folder / "log"
        with log.open("ab") as said:
            self._process = subprocess.Popen([*_somebody(), str(programs() / "postgres"), "-D", self._data, "-p", str(self.port),
                                              *OPTIONS], cwd="/tmp", stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        latest = time.monotonic() + START_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > latest:
                raise StartError("postgres", log.read_text()[-2000:])
            time.sleep(LOOK_S)

    def _answers(self) -> bool:
        asked = [str(programs() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        return subprocess.run(asked, check=False).returncode == 0

    def kill(self) -> None:
        """Kills all its processes at once."""
        if self._process is None or self._process.poll() is not None:
            return
        pids = self._stopped()
        for pid in filter(alive, pids):
            os.kill(pid, signal.SIGKILL)
        latest = time.monotonic() + END_S
        while any(map(alive, pids)):
            if time.monotonic() > latest:
                raise TimeoutError(f"processes of the database do not end: {pids}")
            time.sleep(LOOK_S)
        self._process.wait()
        (self._folder / "data" / "postmaster.pid").unlink(missing_ok=True)  # its number may be another's by then

    def _stopped(self) -> list[int]:
        """All its processes, which are stopped: the first one first, else it could begin one more meanwhile."""
        assert self._process is not None
        pids = [self._process.pid]
        os.kill(pids[0], signal.SIGSTOP)
        pids += children(pids[0])
        for pid in filter(alive, pids):
            os.kill(pid, signal.SIGSTOP)
        return pids

    def freeze(self) -> None:
        """It takes and answers nothing more."""
        self._frozen = self._stopped()

    def thaw(self) -> None:
        """It goes on."""
        for pid in filter(alive, self._frozen):
            os.kill(pid, signal.SIGCONT)
        self._frozen = []

    def _run(self, program: str, *arguments: str) -> None:
        with tempfile.TemporaryFile() as said:
            done = subprocess.run([*_somebody(), str(programs() / program), *arguments], cwd="/tmp",
                                  stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False)
            said.seek(0)
            if done.returncode:
                raise StartError("postgres", said.read().decode())

    def statement(self, text: str) -> None:
        """Executes statements by the server's own client."""
        self._run("psql", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c", text)

    def url(self, schema: str = "public") -> str:
        """How its driver reaches it."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres?currentSchema={schema}"

    @classmethod
    @contextmanager
    def running(cls, made: Path | None = None) -> Iterator[Self]:
        """A server that is gone in the end. ``made`` as of :meth:`create`."""
        programs()
        port, = free_ports(1)
        folder = Path(tempfile.mkdtemp(prefix="despina-postgres"))
        server = cls(folder, port)
        try:
            server.create(made)
            yield server
        finally:
            server.kill()
            shutil.rmtree(folder)


def _user() -> str | None:
    """Who runs it, where that must be another."""
    if getpass.getuser() != "root":
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in known)


def _somebody() -> list[str]:
    """What runs a program as that one: the process stays the same."""
    user = _user()
    group = "nogroup" if user == "nobody" else user
    return ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--"] if user else []
