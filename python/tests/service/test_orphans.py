"""Processes of a service that was killed are awaited, and ended if they do not end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from despina.service import orphans
from support.processes import alive


def started(folder: Path, code: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", f"print(flush=True)\n{code}"], stdout=subprocess.PIPE,
                               env={**os.environ, orphans.MARK: str(folder)})
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_those_of_this_folder_alone_are_ended(tmp_path: Path) -> None:
    own, other = (started(folder, "import signal; signal.pause()") for folder in (tmp_path, tmp_path / "other"))
    try:
        assert orphans.found(tmp_path) == [own.pid]
        told: list[str] = []
        orphans.clear(tmp_path, told.append, 0.0)
        own.wait(10)
        assert told[0] == f"ends processes that the service before has left: {own.pid}"
        assert alive(other.pid)
    finally:
        for process in (own, other):
            process.kill()
            process.communicate()


def test_one_that_ends_by_itself_is_awaited(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], stdout=subprocess.PIPE,
                               stdin=subprocess.PIPE, env={**os.environ, orphans.MARK: str(tmp_path)})
    assert process.stdout is not None
    process.stdout.readline()

    def tell(words: str) -> None:
        assert words.startswith("waits")
        process.communicate(b"\n")
    orphans.clear(tmp_path, tell)
    assert process.returncode == 0
