"""What hangs is given up, and says so."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from despina.errors import JobError
from harness import api, bare, engine, java
from harness.engine import SLACK_S, Command
from harness.experiment import Plan, Run
from harness.processes import Processes

SLEEPER = ["sleep", "600"]


def test_a_run_of_the_engine_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"despina run did not end within 0.05 s"):
        engine.run(Command(Path("never.json"), wrapped=lambda words: SLEEPER, limit_s=0.05), tmp_path)


@pytest.mark.parametrize(("given", "limit_s"), [({"duration_s": 20.0}, 20 + SLACK_S), ({"limit_s": 7.0}, 7.0),
                                                ({"duration_s": 20.0, "limit_s": 7.0}, 7.0), ({}, None)])
def test_a_run_has_its_duration_and_some_slack(given: dict[str, float], limit_s: float | None, tmp_path: Path) -> None:
    command = Command(Path("never.json"), wrapped=lambda words: SLEEPER, **given)     # type: ignore[arg-type]
    with engine.running(command, tmp_path) as under_way:
        assert under_way._limit_s == limit_s


@pytest.mark.parametrize(("relay", "said"), [("echo 7; exec sleep 600", "did not end within"),
                                             ("exec sleep 600", "did not say where it listens")])
def test_a_bare_relay_that_hangs_is_ended(relay: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = iter([["sh", "-c", relay], SLEEPER])
    monkeypatch.setattr(java, "compiled", lambda *given: tmp_path)
    monkeypatch.setattr(java, "command", lambda *given, **more: next(commands))
    monkeypatch.setattr(bare, "SLACK_S", 1.0)
    point = {"packet_bytes": 50}
    with pytest.raises(JobError, match=f"the bare relay {said}"):
        bare.flat_out(Run(point, Plan([point], warm_up_s=0, seconds=0.01), tmp_path, tmp_path,
                          Processes(tmp_path / "running", tmp_path)))


class Job:
    """A job that ends when it was waited for so often, if ever, and at which so many packets arrived."""

    name = "made up"

    def __init__(self, ends_at: float, arrived: int = 3) -> None:
        self._ends_at = ends_at
        self._arrived = arrived
        self._waits = itertools.count(1)

    def wait(self, timeout_s: float) -> SimpleNamespace:
        return SimpleNamespace(ended=next(self._waits) >= self._ends_at)

    @property
    def counters(self) -> SimpleNamespace:
        return SimpleNamespace(ended=False, operators={"sink": {"packets_in": self._arrived}})


def test_jobs_that_do_not_end_are_given_up() -> None:
    ends: Any = Job(1)
    hangs: Any = Job(float("inf"))
    api.ended([ends, ends], 5)
    with pytest.raises(JobError, match="made up did not end within 5 s"):
        api.ended([ends, hangs], 5)


def test_a_job_at_which_nothing_arrives_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "START_S", 0.02)
    runs: Any = Job(1)
    hangs: Any = Job(1, arrived=0)
    assert api.counted([runs, runs], "sink")[1] == [3, 3]
    with pytest.raises(JobError, match=r"nothing arrived at sink of made up within 0.02 s"):
        api.counted([runs, hangs], "sink")
