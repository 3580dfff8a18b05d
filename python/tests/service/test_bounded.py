"""Commands that are kept in bounds."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from despina.service import bounded
from despina.service.bounded import Bounds, run
from despina.service.orphans import marked

PYTHON = (sys.executable, "-S", "-I", "-c")
ROOM = Bounds(seconds=60.0, memory_bytes=1 << 30, output_bytes=1000)
STARTS = ("import subprocess, sys\n"
          "subprocess.Popen([sys.executable, '-S', '-I', '-c', 'input()'], start_new_session=True, stdin=-1)\n")
"""A process in a session of its own, which would live on."""


@pytest.fixture(autouse=True)
def rest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where temporary files are made."""
    monkeypatch.setattr(bounded, "LOOK_S", 0.02)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "rest"))
    (tmp_path / "rest").mkdir()
    return tmp_path / "rest"


def never() -> bool:
    return False


def test_a_command_has_its_output_its_folder_and_its_last_words_and_leaves_no_file(tmp_path: Path, rest: Path) -> None:
    text = "import os, sys, tempfile; tempfile.mkstemp(); print(os.getcwd(), os.environ['X'], end=''); sys.exit('no\\nmore')"
    ended = run([*PYTHON, text], tmp_path, ROOM, {"X": "y"}, never)
    assert list(rest.iterdir()) == []
    assert (ended.code, ended.output.decode(), ended.last, ended.over) == (1, f"{tmp_path} y", "more", "")


@pytest.mark.parametrize(("text", "bounds", "over"), [
    ("import time; time.sleep(1000)", Bounds(0.3, 1 << 30, 1000), "seconds"),
    ("kept = b'x' * (1 << 26); import time; time.sleep(1000)", Bounds(60.0, 1 << 25, 1000), "memory"),
    ("while True: print('x' * 100)", ROOM, "output"), ("import time; time.sleep(1000)", ROOM, "told")])
def test_one_that_breaks_a_bound_ends_with_all_that_it_has_started(tmp_path: Path, text: str, bounds: Bounds, over: str,
                                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("despina.service.bounded.uuid.uuid4", lambda: type("Name", (), {"hex": f"of-{tmp_path.name}"}))
    ended = run([*PYTHON, STARTS + text], tmp_path, bounds, {}, lambda: over == "told")
    assert (ended.over, len(ended.output) <= 1000) == (over, True)
    assert marked(f"{bounded.MARK}=of-{tmp_path.name}") == []


def test_what_a_command_leaves_is_ended_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("despina.service.bounded.uuid.uuid4", lambda: type("Name", (), {"hex": "left"}))
    assert run([*PYTHON, STARTS], tmp_path, ROOM, {}, never).over == ""
    assert marked(f"{bounded.MARK}=left") == []
