"""The lines of a run: whole ones, whatever the disk does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from despina.service.log import Log
from support.service import Service


def texts(log: Log, after: str = "") -> list[str]:
    return [str(line["text"]) for line in log.read(after)[0]]


def test_a_line_that_does_not_fit_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(tmp_path, "log")
    log.add("info", "service", "one")
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda descriptor, line: write(descriptor, line[:9]))
        with pytest.raises(OSError, match="No space"):
            log.add("info", "service", "two")
    log.add("info", "service", "three")
    assert texts(log) == ["one", "three"]


def test_a_line_that_a_death_has_cut_is_left_out(tmp_path: Path) -> None:
    log = Log(tmp_path, "log")
    log.add("info", "service", "one")
    with (tmp_path / "log.1.jsonl").open("a") as file:
        file.write('{"at_ms": 1, "level"')
    log.add("info", "service", "two\u2028{}")
    assert texts(log) == ["one", "two\u2028{}"]


def test_a_place_inside_a_line_gives_the_lines_behind_it(service: Service) -> None:
    service.submit()
    for text in ("12", '{"a": {"b": 1}}'):
        service.jobs.one("numbers").tell("info", text)
    size = (service.folder / "jobs/numbers/1/log.1.jsonl").stat().st_size
    for offset in range(size + 1):
        answer = service.ask("GET", f"/jobs/numbers/log?after=1.{offset}")
        assert answer.status_code == 200
        assert answer.json()["next"] == f"1.{size}"
    assert service.ask("GET", "/jobs/numbers/log?after=1.5").json()["lines"][-1]["text"] == '{"a": {"b": 1}}'


def test_a_place_behind_the_end_is_the_end_as_after_a_backup_was_restored(tmp_path: Path) -> None:
    log = Log(tmp_path, "log")
    log.add("info", "service", "one")
    end = log.end()
    for ahead in ("1.5000", "7.1"):
        assert log.read(ahead) == ([], end)
    log.add("info", "service", "two")
    assert texts(log, end) == ["two"]
