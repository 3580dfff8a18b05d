"""The command as a process, and every process that came of it: found by a mark in the environment that children inherit."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from despina.job import Job

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "python" / "src"
TESTS = ROOT / "tests"
MARK = "DESPINA_E2E_MARK"
OWN_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
END_S = 90.0
"""How long a command may take that ends by itself, on a machine under load."""

LEFT_S = 5.0
"""For how long something may still come of what has ended: others hand it on."""
SHOWN = 4_000
"""How many bytes of a command's output a failure shows."""
INTERRUPTED = 128 + signal.SIGINT
"""The exit code of a command that Ctrl-C has ended."""

LOOK_AFTER_S = 0.02
LOOK_EVERY_S = 0.1
"""What is looked at may cost as much as what is waited for: the first looks follow each other soon, later ones do not."""

T = TypeVar("T")

# A child ignores what this process ignores: hang-ups under nohup, Ctrl-C in the background of a script. Tests send both.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


def until(condition: Callable[[], T], what: str, timeout_s: float = 60.0, ended: Callable[[], str] = str,
          look_every_s: float = LOOK_EVERY_S) -> T:
    """Polls until the condition is true, the more seldom the longer it lasts, but at least each ``look_every_s``.

    :param ended: how that ended which was to bring it about, in words; empty while it runs
    :return: what it then was
    """
    deadline = time.monotonic() + timeout_s
    pause_s = min(LOOK_AFTER_S, look_every_s)
    end = ""
    while not (found := condition()):
        if not end and (end := ended()):
            deadline = min(deadline, time.monotonic() + LEFT_S)
        assert time.monotonic() <= deadline, f"there was no {what}: {end or f'not within {timeout_s} s'}"
        time.sleep(pause_s)
        pause_s = min(look_every_s, 1.2 * pause_s)
    return found


def over(job: Job) -> Callable[[], str]:
    """For :func:`until`, of what a job is to bring about."""
    def ended() -> str:
        status = job.poll()
        return f"the job is {status.state}{': ' + status.error['message'] if status.error else ''}" if status.ended else ""
    return ended


def free_port() -> int:
    """One that nobody listens on just now, and that no connection gets as its own. A client that tries again and again while
    nobody listens would else be connected to itself one day, and hold the port.
    """
    lowest = int(OWN_PORTS.read_text().split()[0])
    while True:
        port = random.choice(range(max(1024, lowest - 10_000), lowest) or [0])
        with suppress(OSError), socket.create_server(("127.0.0.1", port)) as one:
            return int(one.getsockname()[1])


def alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def environment_has(pid: int, entry: bytes) -> bool:
    """Whether the process was started with that ``NAME=value``."""
    try:
        return entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def main_class(pid: int) -> str:
    """Which of our classes a JVM runs, by its simple name; empty for what is no JVM of ours."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return next((word.decode().rpartition(".")[2] for word in words if word.startswith(b"io.despina.")), "")


@dataclass(frozen=True)
class Ended:
    """What a command left."""

    code: int
    out: str
    err: str


class Command:
    """``python -m despina …`` with its output in files, so that it never waits for a reader."""

    def __init__(self, folder: Path, *arguments: str | Path, inside: Sequence[str] = (),
                 program: Sequence[str | Path] = ("-m", "despina"), **environment: str) -> None:
        """:param inside: a command that becomes the one which its arguments say, as ``ip netns exec`` does

        :param program: what Python runs
        """
        self._mark = uuid.uuid4().hex
        self._out, self._err = folder / f"{self._mark}.out", folder / f"{self._mark}.err"
        variables = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1", MARK: self._mark, **environment}
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen([*inside, sys.executable, *map(str, (*program, *arguments))], cwd=folder,
                                             env=variables, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    @property
    def pid(self) -> int:
        """Python's own."""
        return self._process.pid

    def out(self) -> str:
        """Standard output so far."""
        return self._out.read_text()

    def err(self) -> str:
        """Standard error so far."""
        return self._err.read_text()

    def last_words(self) -> str:
        """The end of its output."""
        return "".join(file.read_bytes()[-SHOWN:].decode(errors="replace") for file in (self._out, self._err))

    def until(self, condition: Callable[[], T], what: str, timeout_s: float = 60.0) -> T:
        """Polls until the command has made the condition true; one that ends before fails the test with its words.

        :return: what it then was
        """
        return until(condition, what, timeout_s, self._ended)

    def _ended(self) -> str:
        code = self._process.poll()
        return "" if code is None else f"the command has ended with {code}\n{self.last_words()}"

    def says(self, words: str) -> None:
        """Waits for words on standard error."""
        self.until(lambda: words in self.err(), f"'{words}'", END_S)

    def processes(self) -> list[int]:
        """Every living process that came of it, itself included."""
        entry = f"{MARK}={self._mark}".encode()
        pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
        return [pid for pid in pids if environment_has(pid, entry) and alive(pid)]

    def jvms(self, name: str) -> list[int]:
        """Its JVMs with that main class: ``GatewayMain`` or ``ResourceMain``."""
        return [pid for pid in self.processes() if main_class(pid) == name]

    def signal(self, number: signal.Signals) -> None:
        """Sends Python a signal."""
        self._process.send_signal(number)

    def end(self, timeout_s: float = END_S) -> Ended:
        """Waits for its end."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"did not end within {timeout_s} s\n{self.err()}") from None
        return Ended(self._process.returncode, self.out(), self.err())

    def interrupt(self, *also: int, timeout_s: float = END_S) -> Ended:
        """Ends it as Ctrl-C does.

        :param also: exit codes that are right too, as 0 where its job may have ended just before
        """
        self.signal(signal.SIGINT)
        ended = self.end(timeout_s)
        assert ended.code in (INTERRUPTED, *also), ended.err
        return ended

    def kill(self) -> None:
        """Kills Python; its JVMs end by themselves then."""
        self.signal(signal.SIGKILL)
        until(lambda: not self.processes(), "end of the command")
        self._process.wait()

    def clear(self) -> list[int]:
        """Kills what still lives of it.

        :return: the pids of what did
        """
        left = self.processes()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()
        return left


def commands(folder: Path) -> Iterator[Callable[..., Command]]:
    """For a fixture: starts ``despina`` with arguments; at the end of the test no process of it may live.

    What the commands have said is printed then: pytest shows it of a test that has failed.
    """
    started: list[Command] = []

    def run(*arguments: str | Path, inside: Sequence[str] = (), **environment: str) -> Command:
        started.append(Command(folder, *arguments, inside=inside, **environment))
        return started[-1]

    yield run
    left = [pid for command in started for pid in command.clear()]
    for command in started:
        print(command.last_words(), file=sys.stderr)
    assert not left, f"processes were left behind: {left}"


def children(parent: int) -> list[int]:
    """Its living children."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                if int((path / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(path.name))
            except (OSError, IndexError):
                continue
    return found
