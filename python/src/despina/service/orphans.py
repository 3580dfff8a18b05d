"""Processes of a service that was killed: its coordinator and the children of that. They end by themselves, within seconds.

A job must not go on beside them, so the next service waits for their end before it starts anything.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

MARK = "DESPINA_SERVICE_FOLDER"
"""In the environment of every process that a service starts: its folder."""
WAIT_S = 6.0
LOOK_S = 0.1


def mark(folder: Path) -> None:
    """Has what this process starts from now on be known as of that folder."""
    os.environ[MARK] = str(folder)


def found(folder: Path, processes: Path = Path("/proc")) -> list[int]:
    """Processes that were started by a service on that folder; none where the system does not tell."""
    return marked(f"{MARK}={folder}", processes)


def marked(entry: str, processes: Path = Path("/proc")) -> list[int]:
    """Processes other than this one with that entry in their environment."""
    pids = []
    for process in processes.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(process.name) != os.getpid() and entry.encode() in (process / "environ").read_bytes().split(b"\0"):
                pids.append(int(process.name))
    return pids


def clear(folder: Path, tell: Callable[[str], None], wait_s: float = WAIT_S) -> None:
    """Waits until none is left, and ends those that do not. The caller has the folder's lock, so no service has them."""
    until = time.monotonic() + wait_s
    told = False
    while pids := found(folder):
        if time.monotonic() >= until:
            tell(f"ends processes that the service before has left: {', '.join(map(str, pids))}")
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            until = time.monotonic() + wait_s
        elif not told:
            tell("waits for the end of processes of the service before")
            told = True
        time.sleep(LOOK_S)
