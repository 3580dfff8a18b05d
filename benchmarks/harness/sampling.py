"""What processes take, seen from outside: processor time, memory, switches, and what the kernel has of their sockets.

Read from ``/proc`` and by ``ss``, alike for every subject.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from despina.errors import StartError
from harness.load import TICKS_PER_S, Process

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
WHOLE = 0.9
"""Of the window that was asked for: what was watched for less of it tells nothing of all of it."""
_FOLDERS = re.compile(r"=/.*/")


@dataclass(frozen=True)
class Usage:
    """Of some processes together, since each began; what has ended is no longer in it."""

    cpu_s: float
    resident_bytes: int
    switches: int
    threads: int


def usage(pids: Collection[int]) -> Usage:
    """Of these processes now."""
    return Usage(sum(cpu_seconds(pids).values()), sum(map(resident_bytes, pids)), sum(map(_switches, pids)),
                 sum(map(_threads, pids)))


def cpu_seconds(pids: Iterable[int]) -> dict[int, float]:
    """User and system time of processes so far; nothing of one that has gone."""
    found = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            found[pid] = Process.parse(Path(f"/proc/{pid}/stat").read_text()).ticks / TICKS_PER_S
    return found


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


def ss_needed() -> None:
    """An experiment's need: ``ss``, which shows what the kernel holds for sockets.

    :raise StartError: it is missing
    """
    if shutil.which("ss") is None:
        raise StartError("ss_missing", "there is no ss, which shows the kernel's memory of sockets",
                         "install iproute2 (Debian: apt install iproute2)")


@dataclass(frozen=True)
class Sockets:
    """The TCP sockets of some processes, added up.

    :ivar at_s: when they were listed (of the monotonic clock)
    :ivar memory_bytes: that the kernel holds for them: for the payload, for its own records, and set aside
    :ivar between: the payload, received and unread or not yet acknowledged, by the processes at a connection's two ends, those of
        them that were asked about
    """

    at_s: float
    sent_bytes: int
    memory_bytes: int
    between: Mapping[frozenset[int], int] = field(default_factory=dict, compare=False)


def sockets(pids: Iterable[int]) -> Sockets | None:
    """The TCP sockets of these processes now; None where ``ss`` is missing.

    On a machine that is busy with hundreds of threads it takes seconds. It looks for the sockets' owners first, and asks the
    kernel for their figures last: so the time is that of its end.
    """
    if (command := shutil.which("ss")) is None:
        return None
    listed = subprocess.run([command, "-tinmpHO"], capture_output=True, text=True, check=False)
    return parse_sockets(listed.stdout, pids, time.monotonic()) if listed.returncode == 0 else None


def parse_sockets(said: str, pids: Iterable[int], at_s: float) -> Sockets:
    """Reads what ``ss -tinmpH`` says: ``STATE RECV-Q SEND-Q …``, then ``skmem:(r…,rb…,t…,tb…,f…,w…,o…,bl…,d…)``.

    r is received and unread, w queued to be sent, f set aside, bl in the backlog.
    """
    wanted = set(pids)
    sent = memory = 0
    ends: dict[tuple[str, ...], tuple[set[int], int]] = {}
    for entry in re.split(r"\n(?=\S)", said):
        owners = wanted & {int(pid) for pid in re.findall(r"pid=(\d+)", entry)}
        if not owners:
            continue
        sent += sum(map(int, re.findall(r"bytes_sent:(\d+)", entry)))
        if held := re.search(r"skmem:\(([^)]*)\)", entry):
            parts = dict(re.findall(r"([a-z]+)(\d+)", held[1]))
            memory += sum(signed(int(parts.get(name, 0))) for name in ("r", "w", "f", "bl"))
            _, received, unsent, *addresses = entry.split()[:5]
            others, before = ends.get(tuple(sorted(addresses)), (set(), 0))
            ends[tuple(sorted(addresses))] = (others | owners, before + int(received) + int(unsent))
    between: Counter[frozenset[int]] = Counter()
    for both, held_bytes in ends.values():
        between[frozenset(both)] += held_bytes
    return Sockets(at_s, sent, memory, between)


def signed(told: int) -> int:
    """What the kernel counts in 32 bits: below 0 for a moment, which ``ss`` prints as nearly 2^32."""
    return told - (1 << 32) if told >= 1 << 31 else told


def _threads(pid: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return 0


def _switches(pid: int) -> int:
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            total += sum(map(int, re.findall(r"ctxt_switches:\s+(\d+)", (task / "status").read_text())))
        except OSError:
            continue
    return total


@dataclass
class Costs:
    """What processes cost between two moments.

    :ivar asked_s: how long they were to be watched
    :ivar seconds: between the two readings of their processor time
    :ivar cpu_s: by process; of one that ended meanwhile up to when it was seen last, about a second before
    :ivar wire_bytes: given to sockets; None where ``ss`` is missing, or a process has ended and its sockets with it
    :ivar wire_s: between the two lists of sockets, of which those bytes are
    :ivar resident_bytes: of all of them together, about once a second, as is ``socket_memory_bytes``
    :ivar resident_s: when each of these was read, since the watch began; ``socket_memory_s`` likewise
    :ivar flags: what their command lines tell a JVM of memory, collector and compiler (``-X…``)
    """

    asked_s: float
    seconds: float
    cpu_s: dict[int, float]
    wire_bytes: int | None = None
    wire_s: float = 0.0
    resident_bytes: list[int] = field(default_factory=list)
    resident_s: list[float] = field(default_factory=list)
    socket_memory_bytes: list[int] = field(default_factory=list)
    socket_memory_s: list[float] = field(default_factory=list)
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
    What is sampled is written by a thread of its own, and read when that has ended.
    """

    def __init__(self, pids: Iterable[int], asked_s: float, every_s: float = 1.0) -> None:
        self._pids = sorted(set(pids))
        self._every_s = every_s
        self._costs = Costs(asked_s, 0.0, {})
        self._first: Sockets | None = None
        self._ending = threading.Event()
        self._begun, self._before = self._spent()
        self._seen = dict(self._before)
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()
        self._costs.flags = {pid: jvm_flags(command_words(pid)) for pid in self._pids}

    def _spent(self) -> tuple[float, dict[int, float]]:
        return time.monotonic(), cpu_seconds(self._pids)

    def _sample(self) -> None:
        self._first = sockets(self._pids)
        costs = self._costs
        while not self._ending.wait(self._every_s):
            at_s, spent = self._spent()
            self._seen |= spent
            costs.resident_bytes.append(sum(resident_bytes(pid) for pid in self._pids))
            costs.resident_s.append(round(at_s - self._begun, 3))
            if (now := sockets(self._pids)) is not None:
                costs.socket_memory_bytes.append(now.memory_bytes)
                costs.socket_memory_s.append(round(now.at_s - self._begun, 3))

    def end(self) -> Costs:
        """Stops watching."""
        at_s, spent = self._spent()
        last = sockets(self._pids)
        self._ending.set()
        self._thread.join()
        costs, latest = self._costs, {**self._seen, **spent}
        costs.seconds, costs.cpu_s = at_s - self._begun, {pid: latest[pid] - before for pid, before in self._before.items()}
        if self._first is not None and last is not None and spent.keys() == self._before.keys():
            costs.wire_bytes, costs.wire_s = last.sent_bytes - self._first.sent_bytes, last.at_s - self._first.at_s
        return costs
