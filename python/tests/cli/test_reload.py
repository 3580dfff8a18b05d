"""When ``--reload`` has functions read anew."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from despina.cli.run import _look
from despina.function_files import Watch
from despina.job import Job, Status


@pytest.mark.parametrize("state", ["deploying", "restarting", "draining"])
def test_a_change_while_the_job_does_not_run_is_asked_for_when_it_does(tmp_path: Path, state: str) -> None:
    module = tmp_path / "scores.py"
    module.write_text("K = 1\n")
    asked: list[str] = []

    def reload(operator: str) -> list[object]:
        asked.append(operator)
        return []

    job = cast(Job, SimpleNamespace(reload=reload))
    files = Watch(lambda: {"scored": frozenset({module})})
    module.write_text("K = 10\n")
    for _ in range(3):
        _look(job, cast(Status, SimpleNamespace(state=state)), files, tells=False)
    assert asked == []
    for _ in range(3):
        _look(job, cast(Status, SimpleNamespace(state="running")), files, tells=False)
    assert asked == ["scored"]
