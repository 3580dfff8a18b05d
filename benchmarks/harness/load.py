"""Whether others disturbed a repeat: what the hypervisor took away, and the processor time of processes that are not ours.

Ours are this process and all that came of it. Kernel threads count for nobody: they work for us as for others. A process
that has ended lives on in what its parent has waited for, so short ones are seen too. What our own ancestors have waited for
does not count, for they also take in those of ours that lost their parents; children of theirs count as they were last seen.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
KERNEL = 2
"""The pid of the kernel's thread that is the parent of all its others."""
LOOK_EVERY_S = 0.5
STEAL_MOST = 0.02
OTHERS_MOST = 0.03


@dataclass(frozen=True)
class Process:
    """One line of ``/proc/PID/stat``: what is needed of it.

    :ivar ticks: its own
    :ivar waited_for: those of the children that it waited for
    """

    pid: int
    parent: int
    started: int
    ticks: int
    waited_for: int

    @classmethod
    def parse(cls, line: str) -> Process:
        """Reads the line; the name in it may hold anything, also parentheses."""
        pid, _, rest = line.partition(" ")
        words = rest.rpartition(")")[2].split()
        return cls(int(pid), int(words[1]), int(words[19]), int(words[11]) + int(words[12]), int(words[13]) + int(words[14]))


@dataclass(frozen=True)
class Load:
    """Shares of all cores' time, 0 to 1."""

    steal: float
    others: float

    @property
    def disturbed(self) -> str:
        """Why this repeat does not count; empty if it does."""
        if self.steal > STEAL_MOST:
            return f"{self.steal:.0%} of the processors' time was stolen"
        if self.others > OTHERS_MOST:
            return f"other processes took {self.others:.0%} of the processors' time"
        return ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def processes() -> list[Process]:
    """Every process there is."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                found.append(Process.parse(Path(entry.path, "stat").read_text()))
            except (OSError, ValueError, IndexError):
                continue
    return found


def steal_ticks() -> int:
    """Ticks of all processors that the hypervisor gave to others."""
    words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(words[8]) if len(words) > 8 else 0


class Watch:
    """Looks on while a repeat is made; as a context manager. Where there is no ``/proc`` it sees nothing."""

    def __init__(self, look_every_s: float = LOOK_EVERY_S) -> None:
        self._look_every_s = look_every_s
        self._own: set[tuple[int, int]] = set()
        self._above: set[int] = set()
        self._seen: dict[tuple[int, int], Process] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name="load", daemon=True)
        self.load = Load(0.0, 0.0)

    def __enter__(self) -> Self:
        self._began, self._steal, self._others = time.monotonic(), _safe_steal(), self._look()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()
        whole = max(1e-3, time.monotonic() - self._began) * (os.cpu_count() or 1) * TICKS_PER_S
        self.load = Load(max(0, _safe_steal() - self._steal) / whole, max(0, self._look() - self._others) / whole)

    def _look_on(self) -> None:
        while not self._ended.wait(self._look_every_s):
            self._look()

    def _look(self) -> int:
        """Ticks of all others so far."""
        try:
            found = processes()
        except OSError:
            return 0
        now = {(process.pid, process.started): process for process in found}
        roots = {os.getpid(), *(pid for pid, started in self._own & now.keys())}
        self._own |= {(process.pid, process.started) for process in own(found, roots)}
        self._above |= ancestors(found, os.getpid())
        self._seen |= now
        others = {key: process for key, process in self._seen.items()
                  if key not in self._own and KERNEL not in (process.pid, process.parent)}
        there = sum(process.ticks + (0 if process.pid in self._above else process.waited_for)
                    for key, process in others.items() if key in now)
        living = {process.pid for process in found}
        parents = {process.pid: process.parent for process in self._seen.values() if process.pid not in living}
        # what a living stranger has waited for is counted with it; the rest would be lost
        gone = sum(process.ticks + process.waited_for for key, process in others.items()
                   if key not in now and ((heir := nearest(process.parent, parents)) in self._above or heir not in living))
        return there + gone


def own(found: list[Process], roots: set[int]) -> list[Process]:
    """Processes and all that came of them."""
    ours = set(roots)
    grown = True
    while grown:
        more = {process.pid for process in found if process.parent in ours} - ours
        ours |= more
        grown = bool(more)
    return [process for process in found if process.pid in ours]


def nearest(pid: int, parents: Mapping[int, int]) -> int:
    """The process itself, or the first of those that it came of whose parent is not given."""
    passed: set[int] = set()
    while pid in parents and pid not in passed:
        passed.add(pid)
        pid = parents[pid]
    return pid


def ancestors(found: list[Process], root: int) -> set[int]:
    """The pids of those that a process came of."""
    parents = {process.pid: process.parent for process in found}
    above: set[int] = set()
    while (root := parents.get(root, 0)) and root not in above:
        above.add(root)
    return above


def _safe_steal() -> int:
    try:
        return steal_ticks()
    except OSError:
        return 0
