"""A command in a process of its own, with a bound on its time, the memory of all processes that it starts, and its output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Literal

from despina.service.orphans import marked
from despina.service.series import PROCESSES, used_by

MARK = "DESPINA_BOUNDED"
"""In the environment of the process and of all that it starts, which may be in sessions of their own: of which call they are."""
LOOK_S = 0.25
END_S = 5.0
"""How long the end of processes is waited for that were killed."""
NOT_PASSED_ON = ("NOTIFY_SOCKET",)

Bound = Literal["", "seconds", "memory", "output", "told"]


@dataclass(frozen=True)
class Bounds:
    """What it may take."""

    seconds: float
    memory_bytes: int
    output_bytes: int


@dataclass(frozen=True)
class Ended:
    """How it ended.

    :ivar over: the bound that it was ended for, or that this was told; empty if it ended by itself
    :ivar last: the last line that it wrote to standard error
    """

    code: int
    output: bytes
    last: str
    over: Bound = ""


def run(command: Sequence[str], folder: Path, bounds: Bounds, environment: Mapping[str, str],
        told: Callable[[], bool]) -> Ended:
    """Runs it in that folder, and waits for its end. Nothing that it has started is left. Its standard input gives nothing, and
    ends with this process, so that it may end too.

    :param environment: more variables, beside those of this process
    :param told: whether it is to end now
    """
    entry = f"{MARK}={uuid.uuid4().hex}"
    with TemporaryDirectory(prefix="despina-bounded-") as rest, (Path(rest) / "output").open("w+b") as output, \
            (Path(rest) / "errors").open("w+b") as errors:
        name, _, value = entry.partition("=")
        inherited = {key: each for key, each in os.environ.items() if key not in NOT_PASSED_ON}
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=output, stderr=errors,
                                   start_new_session=True, env={**inherited, **environment, "TMPDIR": rest, name: value})
        try:
            over = _watched(process, entry, bounds, [output, errors], told)
        finally:
            process.kill()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()
            _end(entry)
        output.seek(0)
        errors.seek(max(0, os.fstat(errors.fileno()).st_size - 4096))
        said = [line for line in errors.read().decode(errors="replace").splitlines() if line.strip()]
        return Ended(process.returncode, output.read(bounds.output_bytes), said[-1] if said else "", over)


def _watched(process: subprocess.Popen[bytes], entry: str, bounds: Bounds, written: Sequence[BinaryIO],
             told: Callable[[], bool]) -> Bound:
    """Waits for its end; the bound that it breaks before."""
    until = time.monotonic() + bounds.seconds
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_S)
        if any(os.fstat(each.fileno()).st_size > bounds.output_bytes for each in written):
            return "output"
        if process.returncode is not None:
            return ""
        if told():
            return "told"
        if time.monotonic() >= until:
            return "seconds"
        uses = [used_by(PROCESSES / str(pid)) for pid in marked(entry)]
        if sum(use[1] for use in uses if use is not None) > bounds.memory_bytes:
            return "memory"


def _end(entry: str) -> None:
    """Ends what is left of it, also what starts meanwhile."""
    until = time.monotonic() + END_S
    while (pids := marked(entry)) and time.monotonic() < until:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
