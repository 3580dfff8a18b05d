"""Several processes for one function, one more that is ready, and bounds of their memory."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import pytest

import despina
from despina.engine import Engine
from despina.job import Job
from e2e.test_python_functions import graph, stopped_well
from support.processes import until
from support.python_workers import until_more_rows, workers

FUNCTIONS = """
import time

KEPT = []


def twice(id):
    return 2 * id


def grows(id):
    KEPT.append(b"x" * 10_000)
    return 2 * id


def swells(id):
    if id == 7:
        KEPT.append(b"x" * (300 << 20))
        time.sleep(3600)
    return 2 * id
"""
MEMORY = 200 << 20
"""More than one has that has only just opened a function."""


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    return tmp_path


def counted(job: Job, name: str) -> int:
    return int(job.poll().operators["tried"].get("counters", {}).get(name, 0))


def three(jvm: int) -> list[int]:
    """The processes, if they are just so many."""
    found = workers(jvm)
    return found if len(found) == 3 else []


def test_several_processes_keep_the_order_also_when_some_are_killed(engine: Engine, modules: Path, clean: int) -> None:
    content = graph("twice", rate_per_s=3_000, workers=2, spare=True)
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        until_more_rows(job)
        for pid in until(partial(three, clean), "two processes and a spare")[:2]:
            os.kill(pid, signal.SIGKILL)
        until_more_rows(job)
        stopped_well(job)


def test_a_process_that_grows_is_replaced_between_two_batches(engine: Engine, modules: Path, clean: int) -> None:
    content = graph("grows", rate_per_s=4_000, memory_bytes=MEMORY, batch_rows=100)
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        first = until(lambda: workers(clean), "process")
        until(lambda: counted(job, "memory_restarts") > 0, "news that it has grown")
        until(lambda: set(workers(clean)).difference(first), "another process")
        until_more_rows(job)
        stopped_well(job)


def test_one_that_takes_far_too_much_at_once_is_killed(engine: Engine, modules: Path, clean: int) -> None:
    content = graph("swells", 10, batch_rows=1, memory_bytes=MEMORY, on_error={"type": "skip"})
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        found = job.rows("rows")
        job.wait(60)
    assert found.to_pylist() == [{"id": k, "v": 2 * k} for k in range(10) if k != 7]
    assert f"more than memory_bytes={MEMORY} (200 MiB) by a quarter" in job.counters.skipped["tried"]
    assert "in swells" in job.counters.skipped["tried"]
    assert job.counters.operators["tried"]["counters"] == {"memory_kills": 3}
