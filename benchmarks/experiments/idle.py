"""What a deployed graph costs while no packet comes."""

from __future__ import annotations

import time

from harness import (
    Claim,
    Estimate,
    Experiment,
    Figure,
    Measured,
    Metric,
    Plan,
    Point,
    Result,
    Run,
    Subject,
    graphs,
    java,
    processes,
)
from harness.plots import bars
from harness.session import job, pids, session, until

SHARE = Metric("core_percent", "% of one core")
SWITCHES = Metric("switches_per_s", "context switches/s")
RESIDENT = Metric("resident_mb", "resident MB")
START = Metric("start_s", "seconds to running")
FOR_EVER_MS = 3_600_000
DEPLOYMENT = {"format": 1, "resources": {"only": {"host": "127.0.0.1"}}, "place": {"*": ["only"]}}


def graph(operators: int) -> graphs.Json:
    """A chain of so many operators, each a task of its own; its source sends nothing for an hour."""
    made = graphs.relay(50, stages=operators - 2)
    made["operators"]["source"]["shape"] = {"type": "step", "steps": [{"for_ms": FOR_EVER_MS, "rate_per_s": 0},
                                                                      {"for_ms": 1, "rate_per_s": 1}]}
    return made


def idle(run: Run) -> Measured:
    """All operators in one resource: what its JVM takes, and the coordinator's with it."""
    with session() as engine:
        began = time.monotonic()
        with job(graph(run.point["operators"]), engine, deployment=DEPLOYMENT) as running:
            until(running, "running")
            start_s = time.monotonic() - began
            whole = [*pids(running).values(), int(engine.version()["pid"])]
            time.sleep(run.warm_up_s)
            before, at = processes.usage(whole), time.monotonic()
            time.sleep(run.seconds)
            after, seconds = processes.usage(whole), time.monotonic() - at
            until(running, "running")     # it still is
    return Measured({
        SHARE.name: 100 * (after.cpu_s - before.cpu_s) / seconds,
        SWITCHES.name: (after.switches - before.switches) / seconds,
        RESIDENT.name: after.resident_bytes / 1e6,
        START.name: start_s,
    })


def _share(result: Result) -> Estimate | None:
    return result.estimate(SHARE.name, "despina", _at(1000))


def _at(operators: int) -> Point:
    return {"operators": operators}


EXPERIMENT = Experiment(
    name="idle",
    doc="""A graph is deployed and no packet comes: processor time, context switches and memory of the resource's JVM and
    the coordinator's together. The operators are a chain of tasks, none fused; the coordinator's heartbeats go on.""",
    subjects=(Subject("despina", idle, 4),),
    metrics=(SHARE, SWITCHES, RESIDENT, START),
    full=Plan([_at(3), _at(1000)], warm_up_s=10, seconds=20),
    quick=Plan([_at(1000)], repeats=1, warm_up_s=4, seconds=8),
    claims=(Claim("1,000 idle operators, % of one core", _share, at_most=1.0),),
    figures=(Figure("core", bars(SHARE), (7, 2.6)),),
    needs=(java.java_needed,),
)
