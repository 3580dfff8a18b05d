"""Many jobs at once in the same resources, which are killed one after the other. Each kill is a loss for all of these jobs, and
costs one JVM. Their rows come from clients, so that none ends before the last kill.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from despina.engine import Engine
from despina.graph import RunOptions, load
from despina.job import Job
from support.kills import RESOURCE, ROWS, Found, Looking, Plan
from support.processes import END_S, alive, until

MEMORY_BYTES = 640 << 20
"""Of a resource with a part of each job, and a log for some of them."""
KILLS = 3
"""A job waits for a second before its second restart, and twice as long before each that follows."""
SOON_S = 0.6
RATE_PER_S = 1_500


@dataclass
class _Member:
    looking: Looking
    job: Job
    restarts: int = 0
    """That it has to have before it is asked for more."""

    @property
    def found(self) -> Found:
        return self.looking.found

    def pids(self) -> dict[str, int]:
        return {name: int(facts["pid"]) for name, facts in self.job.counters.resources.items() if facts.get("pid")}


def plan(shape: str, way: str, lanes: int = 2, on_loss: str = "wait", epoch_ms: int = 200) -> Plan:
    """One of the jobs."""
    return Plan(shape, lanes, 2, lanes == 1, 0, on_loss, epoch_ms, RESOURCE, 0.0, (), way=way,
                rate_per_s=RATE_PER_S)


def run(engine: Engine, folder: Path, plans: Sequence[Plan], seed: int) -> list[Found]:
    """All of them, until their ends."""
    dice = random.Random(seed)
    with ExitStack() as left:
        members = [_start(engine, folder / str(k), each, left) for k, each in enumerate(plans)]
        for each in members:
            _until_running(each)
        for each in members:
            each.looking.way.begin()
        for turn in range(KILLS):
            if turn == KILLS - 1:       # the others come while the jobs go on after the one before
                for each in members:
                    _until_running(each)
            _pause(dice.uniform(0.1, SOON_S))
            _kill(members, dice)
        for each in members:
            _end(each)
            each.looking.look()
    return [each.found for each in members]


def _start(engine: Engine, folder: Path, of: Plan, left: ExitStack) -> _Member:
    folder.mkdir()
    looking = Looking(of, folder, Found(of))
    left.callback(looking.way.end)
    deployment = of.deployment()
    for resource in deployment["resources"].values():
        resource["memory_bytes"] = MEMORY_BYTES
    options = RunOptions(deployment=deployment, state=folder / "state", epoch_ms=of.epoch_ms, on_stop="flush")
    return _Member(looking, left.enter_context(load(looking.graph()).start(engine, options)))


def _until_running(member: _Member) -> None:
    """And until it has gone on after what it has lost. So long its attempt before may take connections, where a part of it has
    survived.
    """
    def runs() -> bool:
        status = member.job.poll()
        return status.ended or (status.state == "running" and status.restarts >= member.restarts)
    until(runs, f"running job {member.found.plan}", END_S)
    if member.found.kills:
        member.found.killed_s = time.monotonic()


def _pause(seconds: float) -> None:
    moment = time.monotonic() + seconds
    until(lambda: time.monotonic() >= moment, "the moment")


def _kill(members: Sequence[_Member], dice: random.Random) -> None:
    """One of the resources."""
    open_jobs = [each for each in members if not each.job.poll().ended]
    pids = sorted({pid for each in open_jobs for pid in each.pids().values() if alive(pid)})
    if not pids:
        return
    victim = dice.choice(pids)
    lost = [each for each in open_jobs if victim in each.pids().values()]
    for each in lost:
        each.found.kills += 1
        each.restarts = each.job.poll().restarts + 1
    os.kill(victim, signal.SIGKILL)
    for each in members:        # also those of which nobody knows yet that they have a part there
        each.found.killed_s = time.monotonic()


def _end(member: _Member) -> None:
    way = member.looking.way
    _until_running(member)
    if way.stops:
        until(lambda: way.given() or member.job.poll().ended, "end of what is given", END_S + ROWS)
        member.job.stop()
    member.job.wait(END_S)
