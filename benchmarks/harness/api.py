"""The engine as a Python program uses it: jobs of one session, looked at while they run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from despina import engine as engines
from despina.engine import Engine
from despina.graph import Graph, load
from despina.job import Job, Status
from harness.processes import RunError

LOOK_EVERY_S = 0.25
"""Seldom enough to cost the engine nothing that is seen."""
START_S = 120.0


@contextmanager
def session() -> Iterator[Engine]:
    """An engine of its own, ended with the block."""
    started = engines.start()
    try:
        yield started
    finally:
        engines.stop()


@contextmanager
def job(graph: Mapping[str, Any] | Path, engine: Engine, **options: Any) -> Iterator[Job]:
    """A running job, stopped at once when the block is left.

    :param graph: its content, or its file
    """
    given = load(graph) if isinstance(graph, Path) else Graph.from_dict(graph)
    running = given.run(engine=engine, **options)
    try:
        yield running
    finally:
        if not running.counters.ended:
            running.stop("now")
            running.wait(START_S)


def pids(running: Job) -> dict[str, int]:
    """The processes of a job's resources, by name."""
    return {name: int(facts["pid"]) for name, facts in running.counters.resources.items() if facts.get("pid")}


def until(running: Job, state: str, timeout_s: float = START_S) -> Status:
    """Waits until the job is in that state.

    :raise RunError: it ended before
    :raise StartError: it took too long
    """
    deadline = time.monotonic() + timeout_s
    while (status := running.poll(LOOK_EVERY_S / 2)).state != state:
        if status.ended:
            running.wait()
            raise RunError(f"{running.name} ended before it was {state}")
        if time.monotonic() > deadline:
            raise RunError(f"{running.name} was not {state} within {timeout_s} s")
    return status


def ended(running: Sequence[Job], timeout_s: float) -> None:
    """Waits until all these jobs have ended.

    :raise RunError: one failed, or they took too long
    """
    deadline = time.monotonic() + timeout_s
    for each in running:
        if not each.wait(max(0.0, deadline - time.monotonic())).ended:
            raise RunError(f"{each.name} did not end within {timeout_s:g} s")


def counted(running: Sequence[Job], operator: str) -> tuple[float, list[int]]:
    """What has arrived at an operator of each job, all within the milliseconds that asking takes.

    :return: when that was, and the counts
    :raise RunError: nothing arrived at one of them
    """
    def count(each: Job) -> int:
        return int(each.counters.operators[operator]["packets_in"])

    deadline = time.monotonic() + START_S
    for each in running:
        while not (count(each) or each.counters.ended):
            if time.monotonic() > deadline:
                raise RunError(f"nothing arrived at {operator} of {each.name} within {START_S:g} s")
            time.sleep(LOOK_EVERY_S)
    return time.monotonic(), [count(each) for each in running]


def follow(running: Job, operators: Sequence[tuple[str, str]], seconds: float,
           look: tuple[Callable[[Status], Any], float] | None = None) -> dict[str, list[Any]]:
    """Looks at counters for so long, four times a second.

    :param operators: operator and counter, as ``("source", "packets_out")``
    :param look: called with a status each so many seconds; what it returns is kept under ``looks``, with its time
    :return: ``operator: [[seconds, count], …]`` and ``looks``
    """
    found: dict[str, list[Any]] = {operator: [] for operator, _ in operators} | {"looks": []}
    began = time.monotonic()
    while (now := time.monotonic() - began) < seconds:
        status = running.poll()
        if status.ended:
            running.wait()
            raise RunError(f"{running.name} ended while it was looked at")
        for operator, counter in operators:
            found[operator].append([round(now, 3), status.operators[operator][counter]])
        if look is not None and (not found["looks"] or now - found["looks"][-1][0] >= look[1]):
            found["looks"].append([round(now, 3), look[0](status)])
        time.sleep(max(0.0, LOOK_EVERY_S - (time.monotonic() - began - now)))
    return found
