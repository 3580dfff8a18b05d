"""The processes of Python functions, as a test finds them."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from despina.job import Job
from support.processes import LOOK_EVERY_S, until


def workers(parent: int) -> list[int]:
    """The processes of functions that a JVM, or a child of its own, has started."""
    found = []
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit() and b"despina_worker.zip" in (path / "cmdline").read_bytes():
                found += [int(path.name)] if _is_below(int(path.name), parent) else []
        except OSError:
            continue        # it has just ended
    return found


def _is_below(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        pid = int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    return False


def until_more_rows(job: Job, look_every_s: float = LOOK_EVERY_S) -> None:
    """Waits until more rows than now have come through."""
    before = job.poll().operators["rows"]["packets_in"]
    until(partial(more_rows, job, before), "more rows", look_every_s=look_every_s)


def more_rows(job: Job, before: int) -> bool:
    status = job.poll()
    return status.ended or status.operators["rows"]["packets_in"] > before


def folders(jvm: int) -> list[Path]:
    """Of its sockets."""
    return list(Path(tempfile.gettempdir()).glob(f"dsp-{jvm}-*"))
