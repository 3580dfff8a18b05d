"""A graph that is deployed and through which nothing goes: how soon it runs, and what it costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from harness import graphs, sampling
from harness.api import job, pids, session, until
from harness.experiment import Run
from harness.sampling import Usage

FOR_EVER_MS = 3_600_000


@dataclass(frozen=True)
class Idle:
    """What was found.

    :ivar start_s: from the API's call to the running job, and to what was waited for then
    :ivar core_percent: processor time, of one core
    :ivar usage: at the end
    """

    start_s: float
    core_percent: float
    switches_per_s: float
    usage: Usage


def silent(graph: graphs.Json) -> graphs.Json:
    """The graph, with a source that sends nothing for an hour."""
    steps = [{"for_ms": FOR_EVER_MS, "rate_per_s": 0}, {"for_ms": 1, "rate_per_s": 1}]
    graph["operators"]["source"]["shape"] = {"type": "step", "steps": steps}
    return graph


def measured(run: Run, graph: graphs.Json, deployment: Mapping[str, Any], with_coordinator: bool,
             ready: Callable[[], object] = lambda: None) -> Idle:
    """Deploys it and looks at its resources' JVMs.

    :param with_coordinator: and at the coordinator's
    :param ready: waits for what comes after the job's start, before the warm-up
    """
    with session() as engine:
        began = time.monotonic()
        with job(graph, engine, deployment=deployment) as running:
            until(running, "running")
            ready()
            start_s = time.monotonic() - began
            whole = [*pids(running).values(), *([int(engine.version()["pid"])] if with_coordinator else [])]
            time.sleep(run.warm_up_s)
            before, at = sampling.usage(whole), time.monotonic()
            time.sleep(run.seconds)
            after, seconds = sampling.usage(whole), time.monotonic() - at
            until(running, "running")     # it still is
    return Idle(start_s, 100 * (after.cpu_s - before.cpu_s) / seconds, (after.switches - before.switches) / seconds, after)
