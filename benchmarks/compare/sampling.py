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

from harness.processes import signed

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PID = re.compile(r"pid=(\d+)")
_SENT = re.compile(r"bytes_sent:(\d+)")
_MEMORY = re.compile(r"skmem:\(r(\d+),rb\d+,t\d+,tb\d+,f(\d+),w(\d+)")
"""Received and unread, set aside, queued to be sent."""
_FOLDERS = re.compile(r"=/.*/")


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far; 0 for one that has gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


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
    """The TCP sockets of some processes, added up."""

    sent_bytes: int
    memory_bytes: int


def parse_sockets(text: str, pids: Iterable[int]) -> Sockets:
    """Adds up one socket a line, as ``ss -tinmpHO`` prints them."""
    wanted = set(pids)
    sent = memory = 0
    for line in text.splitlines():
        if wanted.isdisjoint(int(pid) for pid in _PID.findall(line)):
            continue
        sent += sum(int(found) for found in _SENT.findall(line))
        memory += sum(signed(int(part)) for parts in _MEMORY.findall(line) for part in parts)
    return Sockets(sent, memory)


def sockets(pids: Iterable[int]) -> Sockets | None:
    """The TCP sockets of these processes; None where ``ss`` is missing."""
    if (command := shutil.which("ss")) is None:
        return None
    listed = subprocess.run([command, "-tinmpHO"], capture_output=True, text=True, check=False)
    return parse_sockets(listed.stdout, pids) if listed.returncode == 0 else None


@dataclass
class Costs:
    """What processes cost between two moments."""

    seconds: float
    cpu_s: dict[int, float]
    wire_bytes: int | None
    resident_bytes: list[int] = field(default_factory=list)
    socket_memory_bytes: list[int] = field(default_factory=list)
    """Of all of them together, about once a second."""
    flags: dict[int, list[str]] = field(default_factory=dict)
    """What their command lines tell a JVM of memory, collector and compiler (``-X…``)."""


class Watch:
    """Costs of processes from now to :meth:`end`."""

    def __init__(self, pids: Iterable[int], every_s: float = 1.0) -> None:
        self._pids = sorted(set(pids))
        self._every_s = every_s
        self._resident: list[int] = []
        self._kernel: list[int] = []
        self._ending = threading.Event()
        self._sockets = sockets(self._pids)
        self._flags = {pid: jvm_flags(command_words(pid)) for pid in self._pids}
        self._cpu = {pid: cpu_seconds(pid) for pid in self._pids}
        self._begun = time.monotonic()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._ending.wait(self._every_s):
            self._resident.append(sum(resident_bytes(pid) for pid in self._pids))
            if (now := sockets(self._pids)) is not None:
                self._kernel.append(now.memory_bytes)

    def end(self) -> Costs:
        """Stops watching."""
        seconds = time.monotonic() - self._begun
        cpu = {pid: cpu_seconds(pid) - before for pid, before in self._cpu.items()}
        after = sockets(self._pids)
        self._ending.set()
        self._thread.join()
        sent = None if after is None or self._sockets is None else after.sent_bytes - self._sockets.sent_bytes
        return Costs(seconds, cpu, sent, self._resident, self._kernel, self._flags)
