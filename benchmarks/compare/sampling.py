"""What processes cost, read from the kernel alike for every engine: processor time, memory, bytes given to sockets."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from harness import processes
from harness.load import TICKS_PER_S, Process

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
WHOLE = 0.9
"""Of the window that was asked for: what was watched for less of it tells nothing of all of it."""
_PID = re.compile(r"pid=(\d+)")
_SENT = re.compile(r"bytes_sent:(\d+)")
_FOLDERS = re.compile(r"=/.*/")


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far; 0 for one that has gone."""
    try:
        return Process.parse(Path(f"/proc/{pid}/stat").read_text()).ticks / TICKS_PER_S
    except OSError:
        return 0.0


def resident_bytes(pid: int) -> int:
    """Resident memory of a process; 0 for one that has gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except OSError:
        return 0


def command_words(pid: int) -> list[str]:
    """The command line of a process; empty for one that has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def jvm_flags(words: Iterable[str]) -> list[str]:
    """Those of memory, collector and compiler, in a command line; of files the names alone."""
    return [_FOLDERS.sub("=", word) for word in words if word.startswith("-X")]


@dataclass(frozen=True)
class Sockets:
    """The TCP sockets of some processes, added up.

    :ivar at_s: when they were listed (of the monotonic clock)
    """

    at_s: float
    sent_bytes: int
    memory_bytes: int


def parse_sockets(text: str, pids: Iterable[int], at_s: float) -> Sockets:
    """Adds up one socket a line, as ``ss -tinmpHO`` prints them."""
    wanted = set(pids)
    sent = sum(int(found) for line in text.splitlines() if wanted & {int(pid) for pid in _PID.findall(line)}
               for found in _SENT.findall(line))
    return Sockets(at_s, sent, processes.parse_sockets(text, wanted).kernel_bytes)


def sockets(pids: Iterable[int]) -> Sockets | None:
    """The TCP sockets of these processes; None where ``ss`` is missing.

    On a machine that is busy with hundreds of threads it takes seconds. It looks for the sockets' owners first, and asks the
    kernel for their figures last: so the time is that of its end.
    """
    if (command := shutil.which("ss")) is None:
        return None
    listed = subprocess.run([command, "-tinmpHO"], capture_output=True, text=True, check=False)
    return parse_sockets(listed.stdout, pids, time.monotonic()) if listed.returncode == 0 else None


@dataclass
class Costs:
    """What processes cost between two moments.

    :ivar asked_s: how long they were to be watched
    :ivar seconds: between the two readings of their processor time
    :ivar wire_bytes: given to sockets; None where ``ss`` is missing
    :ivar wire_s: between the two lists of sockets, of which those bytes are
    :ivar resident_bytes: of all of them together, about once a second, as is ``socket_memory_bytes``
    :ivar flags: what their command lines tell a JVM of memory, collector and compiler (``-X…``)
    """

    asked_s: float
    seconds: float
    cpu_s: dict[int, float]
    wire_bytes: int | None = None
    wire_s: float = 0.0
    resident_bytes: list[int] = field(default_factory=list)
    socket_memory_bytes: list[int] = field(default_factory=list)
    flags: dict[int, list[str]] = field(default_factory=dict)

    @property
    def cores(self) -> float | None:
        """Processor time per second, of all of them; None where they were watched for too little of the window."""
        return sum(self.cpu_s.values()) / self.seconds if self.seconds >= WHOLE * self.asked_s else None

    @property
    def sent_per_s(self) -> float | None:
        """Bytes given to sockets per second; None as above, and where the last list came so late that the run may have ended."""
        if self.wire_bytes is None or not listed_in_time(self.asked_s, self.seconds, self.wire_s):
            return None
        return self.wire_bytes / self.wire_s


def listed_in_time(asked_s: float, seconds: float, wire_s: float) -> bool:
    """Whether lists of sockets so far apart tell of a window that was asked for and watched for so long."""
    return WHOLE * asked_s <= wire_s <= seconds / WHOLE


class Watch:
    """Costs of processes from now to :meth:`end`.

    Processor time is read at once at both ends, next to the clock. Sockets are listed beside, each list with its own time.
    """

    def __init__(self, pids: Iterable[int], asked_s: float, every_s: float = 1.0) -> None:
        self._pids = sorted(set(pids))
        self._asked_s = asked_s
        self._every_s = every_s
        self._resident: list[int] = []
        self._kernel: list[int] = []
        self._first: Sockets | None = None
        self._ending = threading.Event()
        self._begun, self._cpu = self._spent()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()
        self._flags = {pid: jvm_flags(command_words(pid)) for pid in self._pids}

    def _spent(self) -> tuple[float, dict[int, float]]:
        return time.monotonic(), {pid: cpu_seconds(pid) for pid in self._pids}

    def _sample(self) -> None:
        self._first = sockets(self._pids)
        while not self._ending.wait(self._every_s):
            self._resident.append(sum(resident_bytes(pid) for pid in self._pids))
            if (now := sockets(self._pids)) is not None:
                self._kernel.append(now.memory_bytes)

    def end(self) -> Costs:
        """Stops watching."""
        at_s, cpu = self._spent()
        last = sockets(self._pids)
        self._ending.set()
        self._thread.join()
        costs = Costs(self._asked_s, at_s - self._begun, {pid: cpu[pid] - before for pid, before in self._cpu.items()},
                      resident_bytes=self._resident, socket_memory_bytes=self._kernel, flags=self._flags)
        if self._first is not None and last is not None:
            costs.wire_bytes, costs.wire_s = last.sent_bytes - self._first.sent_bytes, last.at_s - self._first.at_s
        return costs
