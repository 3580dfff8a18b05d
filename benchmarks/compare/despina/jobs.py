"""Manufacturing jobs in one session of Despina: as many as asked for, in the same two resources."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from compare import manufacturing, probe
from compare.engine import Trial
from compare.processes import RunError
from compare.sampling import Watch
from despina.errors import DespinaError
from despina.job import Job
from harness import Measured
from harness.engine import SLACK_S
from harness.session import counted, ended, job, pids, session, until

COUNTED = "sensor_05"
"""The first operator after the parser, as the peers' meter has it."""

PLACE = {"readings": ["near"], "states": ["near"], "delays": ["near"], "*": ["far"]}
DEPLOYMENT = {"format": 1, "resources": {"near": {"host": "127.0.0.1"}, "far": {"host": "127.0.0.1"}}, "place": PLACE}
LOOK_EVERY_S = 0.5
"""Seldom: whoever asks for thirty jobs' counters takes processor time from them."""


def run(trial: Trial) -> Measured:
    """Runs the jobs through the window, drains them, and verifies their rows."""
    assert trial.input is not None
    outputs = [trial.folder / f"delays-{k}" for k in range(trial.point["jobs"])]
    try:
        with trial.processes.marking():
            found = _measured(trial, outputs)
    except DespinaError as failed:
        raise RunError(str(failed)) from failed
    rows = manufacturing.verify(outputs, trial.input, found.raw["readings"])
    return Measured(found.values, {**found.raw, "rows_verified": rows})


def _measured(trial: Trial, outputs: Sequence[Path]) -> Measured:
    graph = json.loads(manufacturing.GRAPH.read_text())
    assert trial.input is not None
    with session() as engine, ExitStack() as started:
        running = [started.enter_context(job(graph, engine, deployment=DEPLOYMENT, parameters={
            "input": str(trial.input.file), "output": str(output)})) for output in outputs]
        for each in running:
            until(each, "running")
        roles = {pid: [name] for name, pid in pids(running[0]).items()}
        time.sleep(trial.warm_up_s)
        begin, before = counted(running, COUNTED)
        watch = Watch(roles, trial.seconds)
        ends, throughout = _follow(running, begin + trial.seconds)
        costs = watch.end()
        for each in running:
            if not each.counters.ended:
                each.stop("drain")
        ended(running, trial.seconds + SLACK_S)
    seconds = [at - begin for at, _ in ends]
    readings = [count - b for (_, count), b in zip(ends, before, strict=True)]
    for k, (count, s) in enumerate(zip(readings, seconds, strict=True)):
        if count <= 0 or s <= 0:
            raise RunError(f"job {k} got {count:,} readings in {s:.3f} s after the warm-up, and {before[k]:,} before")
    rates = [count / s for count, s in zip(readings, seconds, strict=True)]
    raw: dict[str, Any] = {"readings": readings, "roles": {str(pid): names for pid, names in roles.items()}}
    return probe.of_rates(rates, throughout, costs, raw)


def _count(each: Job) -> int:
    return int(each.counters.operators[COUNTED]["packets_in"])


def _follow(running: Sequence[Job], until_s: float) -> tuple[list[tuple[float, int]], bool]:
    """Waits for the window's end, or for that of all jobs.

    :return: when each job's readings were told last, at the window's end or the job's, and how many they were; whether no job
        had ended by then
    """
    ends: dict[int, tuple[float, int]] = {}
    begun = [time.monotonic() - each.counters.elapsed_s for each in running]
    while len(ends) < len(running):
        late = time.monotonic() >= until_s
        for k, each in enumerate(running):
            if k not in ends and (status := each.counters).ended:
                ends[k] = (begun[k] + status.elapsed_s, _count(each))
        if late:
            break
        time.sleep(max(0.0, min(LOOK_EVERY_S, until_s - time.monotonic())))
    left = [k for k in range(len(running)) if k not in ends]
    if left:
        now, counts = counted([running[k] for k in left], COUNTED)
        ends |= {k: (now, count) for k, count in zip(left, counts, strict=True)}
    return [ends[k] for k in range(len(running))], len(left) == len(running)
