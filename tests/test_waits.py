"""Tests that wait for what does not come say why."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from despina.job import Job, Status
from support import processes
from support.processes import Command, over, until


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LEFT_S", 0.0)


def test_a_command_that_has_ended_is_not_waited_for_and_what_it_said_is_told(tmp_path: Path) -> None:
    command = Command(tmp_path, program=("-c", "import sys; print('out'); sys.exit('there is no such table')"))
    command.end()
    assert command.until(lambda: "what it did before", "rows") == "what it did before"
    with pytest.raises(AssertionError, match=r"there was no rows: the command has ended with 1\nout\nthere is no such table"):
        command.until(lambda: False, "rows")


def test_a_job_that_has_failed_is_not_waited_for() -> None:
    statuses = [Status("running"), Status("failed", error={"message": "the disk is full"})]
    job = cast(Job, SimpleNamespace(poll=lambda: statuses.pop(0) if len(statuses) > 1 else statuses[0]))
    with pytest.raises(AssertionError, match="there was no rows: the job is failed: the disk is full"):
        until(lambda: False, "rows", ended=over(job))
