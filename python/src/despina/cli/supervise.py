"""``despina run --restart always``: the command again, whenever it was lost, until it ends by itself."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Protocol

from despina.backoff import Backoff

LOST = 75
"""How a command that is supervised ends when its engine was lost: it is worth another try."""
SUPERVISED = "DESPINA_SUPERVISED"
"""In the environment of such a command: when the first was started, in milliseconds since 1970, and the process that supervises
it. What the command starts has the same environment, and is not supervised."""
CANNOT_START = 3
TRIES = 3
"""How often in a row a command may not start at all."""
PR_SET_PDEATHSIG = 1


class Running(Protocol):
    """A command that runs."""

    def wait(self) -> int:
        """Its exit code; negative for a signal."""

    def send_signal(self, number: int) -> None:
        """Tells it."""


def since_ms() -> int | None:
    """When the first start of this command was, if this process is one that is supervised. Where the job begins is said for that
    one; whether it has begun is in the job's state.
    """
    begun_ms, _, supervisor = os.environ.get(SUPERVISED, "").partition(" ")
    return int(begun_ms) if supervisor == str(os.getppid()) else None


def without_restart(arguments: Sequence[str]) -> list[str]:
    """The command's arguments without the option that asked for a supervisor."""
    left: list[str] = []
    skip = False
    for argument in arguments:
        if skip or argument.startswith("--restart="):
            skip = False
        elif argument == "--restart":
            skip = True
        else:
            left.append(argument)
    return left


def start(arguments: Sequence[str], begun_ms: int) -> subprocess.Popen[bytes]:
    """Starts ``despina`` with these arguments, in a process group of its own: a terminal's Ctrl-C comes through us, once."""
    parent = os.getpid()
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def ends_with_us() -> None:
        if prctl is not None:
            prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:      # it has ended in between
                os.kill(os.getpid(), signal.SIGTERM)

    return subprocess.Popen([sys.executable, "-m", "despina", *arguments], process_group=0, preexec_fn=ends_with_us,
                            env={**os.environ, SUPERVISED: f"{begun_ms} {parent}"})


class Supervisor:
    """Runs the command until it ends by itself, or is told to end."""

    def __init__(self, begin: Callable[[], Running], clock: Callable[[], float] = time.monotonic,
                 sleep: Callable[[float], None] = time.sleep) -> None:
        self._begin = begin
        self._clock = clock
        self._sleep = sleep
        self._running: Running | None = None
        self._pending: int | None = None
        self._told = False

    def tell(self, number: int, frame: FrameType | None = None) -> None:
        """A signal to us is one to the command, which is then not started again."""
        self._told = True
        if self._running is None:
            self._pending = number      # the command is being started, or has ended
        else:
            self._running.send_signal(number)

    def run(self) -> int:
        """:return: the exit code of the last"""
        backoff = Backoff()
        failed_starts = 0
        while True:
            running = self._begin()
            self._running = running
            if self._pending is not None:
                running.send_signal(self._pending)
            code = running.wait()
            self._running = None
            failed_starts = failed_starts + 1 if code == CANNOT_START else 0
            if self._told or not _is_lost(code) or failed_starts == TRIES:
                return code if code >= 0 else 128 - code
            delay = backoff.delay_s(self._clock())
            print(f"despina: the command {_how(code)}; it starts again {f'in {delay:g} s' if delay else 'now'}", file=sys.stderr,
                  flush=True)
            self._wait(delay)
            if self._told:
                return 128 + signal.SIGTERM

    def _wait(self, seconds: float) -> None:
        """Until then, or a signal."""
        until = self._clock() + seconds
        while not self._told and (left := until - self._clock()) > 0:
            self._sleep(min(left, 0.1))


def _is_lost(code: int) -> bool:
    return code < 0 or code in (LOST, CANNOT_START)


def _how(code: int) -> str:
    if code < 0:
        return f"was ended by signal {-code}"
    return "lost its engine" if code == LOST else "could not start"


def run(arguments: Sequence[str]) -> int:
    """Supervises ``despina`` with these arguments, and hands on the signals that end a job."""
    begun_ms = time.time_ns() // 1_000_000
    supervisor = Supervisor(lambda: start(arguments, begun_ms))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, supervisor.tell)
    return supervisor.run()
