"""Ten thousand operator instances in one JVM."""

from __future__ import annotations

import time

from harness import Claim, Experiment, Figure, Measured, Metric, Plan, Point, Published, Run, Subject, graphs, java, processes
from harness.plots import Lines, lines
from harness.session import job, pids, session, until

START = Metric("start_s", "seconds to running")
RESIDENT = Metric("resident_mb", "resident MB")
SHARE = Metric("core_percent", "% of one core")
THREADS = Metric("threads", "threads")
CHAINS = 4
"""Operators of the graph, each in a quarter of the instances."""
FOR_EVER_MS = 3_600_000
MEMORY_BYTES = 512 << 20
DEPLOYMENT = {"format": 1, "resources": {"only": {"host": "127.0.0.1", "memory_bytes": MEMORY_BYTES}}, "place": {"*": ["only"]}}


def graph(instances: int) -> graphs.Json:
    """Source, two relays, sink, each a quarter of the instances, linked one to one, none fused; nothing is sent for an hour."""
    made = graphs.relay(50, stages=CHAINS - 2, verify="none")
    for operator in made["operators"].values():
        operator["parallelism"] = instances // CHAINS
    made["operators"]["source"]["shape"] = {"type": "step", "steps": [{"for_ms": FOR_EVER_MS, "rate_per_s": 0},
                                                                      {"for_ms": 1, "rate_per_s": 1}]}
    return made


def idle(run: Run) -> Measured:
    """All instances in one resource."""
    with session() as engine:
        began = time.monotonic()
        with job(graph(run.point["instances"]), engine, deployment=DEPLOYMENT) as running:
            until(running, "running")
            start_s = time.monotonic() - began
            only = list(pids(running).values())
            time.sleep(run.warm_up_s)
            before, at = processes.usage(only), time.monotonic()
            time.sleep(run.seconds)
            after, seconds = processes.usage(only), time.monotonic() - at
            until(running, "running")     # it still is
    return Measured({
        START.name: start_s,
        RESIDENT.name: after.resident_bytes / 1e6,
        SHARE.name: 100 * (after.cpu_s - before.cpu_s) / seconds,
        THREADS.name: after.threads,
    })


def _at(instances: int) -> Point:
    return {"instances": instances}


EXPERIMENT = Experiment(
    name="instances",
    doc="""Idle operator instances in one resource's JVM: a graph of four operators, a quarter of the instances each, linked
    one to one, none fused, so that each is a task with a queue of its own. Seconds from the API's call to the running job,
    the start of both JVMs included; resident memory and processor time of the resource while nothing comes.""",
    subjects=(Subject("despina", idle, 8),),
    metrics=(START, RESIDENT, SHARE, THREADS),
    full=Plan([_at(100), _at(1000), _at(5000), _at(10_000)], warm_up_s=5, seconds=10),
    quick=Plan([_at(10_000)], repeats=1, warm_up_s=2, seconds=5),
    published=(Published("002 ISE", "5,000 instances of one graph on one laptop", 5000, "instances",
                         lambda result: 10_000 if result.median(START.name, "despina", _at(10_000)) else None),),
    claims=(
        Claim("10,000 instances, seconds to start",
              lambda result: result.estimate(START.name, "despina", _at(10_000)), at_most=10),
        Claim("10,000 instances, resident MB",
              lambda result: result.estimate(RESIDENT.name, "despina", _at(10_000)), at_most=1000),
    ),
    figures=(Figure("start_and_memory", lines(
        Lines("instances", START, log_x=False, title="start"), Lines("instances", RESIDENT, log_x=False, title="memory")),
        (9, 4)),),
    needs=(java.java_needed,),
)

