"""Manufacturing jobs in one session of Despina: as many as asked for, in the same two resources."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from despina.job import Job, Status
from harness.api import counted, ended, job, pids, session, until
from harness.engine import SLACK_S
from harness.experiment import Measured
from harness.processes import RunError
from harness.sampling import Watch
from peers import manufacturing, probe
from peers.contract import Trial

COUNTED = "sensor_05_scan"
"""The first operator after the parser, as the peers' meter has it."""

PLACE = {"readings": ["near"], "states": ["near"], "delays": ["near"], "*": ["far"]}
DEPLOYMENT = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}}, "place": PLACE}


def run(trial: Trial) -> Measured:
    """Runs the jobs through the window, drains them, and verifies their rows."""
    assert trial.input is not None
    outputs = [trial.folder / f"delays-{k}" for k in range(trial.point["jobs"])]
    found = _measured(trial, outputs)
    rows = manufacturing.verify(outputs, trial.input, found.raw["readings"])
    return Measured(found.values, {**found.raw, "rows_verified": rows})


def _measured(trial: Trial, outputs: Sequence[Path]) -> Measured:
    graph = json.loads(manufacturing.GRAPH.read_text())
    if rate_per_s := trial.point.get("rate_per_s"):
        graph["operators"]["readings"]["replay"] = {"type": "event_time", "speed": rate_per_s / manufacturing.RECORDED_PER_S}
    assert trial.input is not None
    with session() as engine, ExitStack() as started:
        running = [started.enter_context(job(graph, engine, deployment=DEPLOYMENT, parameters={
            "input": str(trial.input.file), "output": str(output)})) for output in outputs]
        for each in running:
            until(each, "running")
        counted(running, COUNTED)       # all have begun
        found = window(trial, running, {pid: [name] for name, pid in pids(running[0]).items()})
        ended(running, trial.seconds + SLACK_S)
    return found


def window(trial: Trial, running: Sequence[Job], roles: Mapping[int, list[str]]) -> Measured:
    """Warms the jobs up, measures them over one window, and has them drain.

    Counters are asked for where it begins and ends, not within: each time two busy processes must answer.

    :param roles: the operators' processes
    """
    time.sleep(trial.warm_up_s)
    before = [each.counters for each in running]
    watch = Watch(roles, trial.seconds)
    time.sleep(trial.seconds)
    costs = watch.end()
    after = [each.counters for each in running]
    readings, seconds = [], []
    for k, (begin, end) in enumerate(zip(before, after, strict=True)):
        readings.append(_count(end) - _count(begin))
        seconds.append(end.elapsed_s - begin.elapsed_s)     # to its end, if it has ended
        if readings[k] <= 0 or seconds[k] <= 0:
            raise RunError(f"job {k} got {readings[k]:,} readings in {seconds[k]:.3f} s after the warm-up, and "
                           f"{_count(begin):,} before")
        if not end.ended:
            running[k].stop("drain")
    rates = [count / s for count, s in zip(readings, seconds, strict=True)]
    probe.kept(trial, rates)
    raw: dict[str, Any] = {"readings": readings, "roles": {str(pid): names for pid, names in roles.items()}}
    return probe.of_rates(rates, not any(status.ended for status in after), costs, raw)


def _count(status: Status) -> int:
    return int(status.operators[COUNTED]["packets_in"])
