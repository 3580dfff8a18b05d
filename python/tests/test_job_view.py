"""A job in a notebook: what the widget is told. How it is drawn, the tests of the service's page say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from despina.engine import Engine
from despina.errors import StartError
from despina.job import Job

pytest.importorskip("anywidget", reason="the view wants anywidget")
from despina import job_view
from despina.job_view import Course, JobView


def counted(packets: int, state: str = "running") -> dict[str, Any]:
    counters = {"packets_in": 0, "packets_out": packets, "errors": 0}
    return {"state": state, "attempt": 1, "elapsed_s": 1.0, "resources": {}, "links": None, "operators": {"read": counters}}


def course(*statuses: dict[str, Any]) -> Course:
    left, seconds = list(statuses), iter(range(100, 10_000))
    now = [99.0]

    def status() -> dict[str, Any]:
        now[0] = float(next(seconds))
        return left.pop(0) if len(left) > 1 else left[0]
    return Course("hot", status, lambda: 1e9 + now[0] + 1, lambda: now[0] + 1)


def test_rates_are_of_the_time_between_two_looks_and_are_kept() -> None:
    seen = course(counted(0), counted(500), counted(700))
    assert seen.told()["values"] == {}
    assert seen.look()["values"]["operator/read/out"] == 500.0
    told = seen.look()
    assert (told["values"]["job/in"], told["job"]["status"]["links"], told["job"]["state"]) == (200.0, {}, "running")
    past = seen.past()
    assert past["values"]["operator/read/out"] == [500.0, 200.0]
    assert past["at_ms"][1] - past["at_ms"][0] == 1000


def test_ten_minutes_are_kept() -> None:
    seen = course(counted(0))
    for _ in range(job_view.KEPT + 5):
        seen.look()
    assert len(seen.past()["at_ms"]) == job_view.KEPT


def test_a_view_tells_the_browser_each_look_until_the_end(scripted: Callable[..., tuple[Engine, Any]]) -> None:
    engine, _ = scripted(status=[counted(0), counted(10), counted(20, "done")])
    job = Job(engine, "j1", "hot")
    job.form = lambda: {"graph": "{}", "deployment": None, "plan": None}
    view = JobView(job, begin=False)
    assert view.form["graph"] == "{}"
    assert view.told["job"]["name"] == "hot"
    assert view.look() is True
    assert view.told["job"]["status"]["operators"]["read"]["packets_out"] == 10
    assert view.look() is False
    assert view.told["job"]["state"] == "done"
    state = view.get_state()
    assert len(json.loads(json.dumps(state["past"]))["at_ms"]) == 2
    assert state["_esm"] == job_view.module()
    view.close()


def test_an_engine_that_has_gone_is_told_and_what_was_seen_stays(scripted: Callable[..., tuple[Engine, Any]]) -> None:
    engine, _ = scripted(status=[counted(7), StartError("engine_lost", "the engine's JVM is gone")])
    view = JobView(Job(engine, "j1", "hot"), begin=False)
    assert view.look() is False
    assert "the engine's JVM is gone" in view.told["lost"]
    assert view.told["job"]["status"]["operators"]["read"]["packets_out"] == 7
    view.close()


def test_the_widget_has_each_file_that_its_modules_name() -> None:
    text = job_view.module()
    files = json.loads(text.rpartition("\nconst FILES = ")[2].rstrip().removesuffix(";"))
    for content in files.values():
        for named in re.findall(r'from "\./([^"]+)"', content):
            assert named in files
    assert all(Path(job_view.PAGE / name).is_file() for name in files)
