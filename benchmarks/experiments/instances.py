"""Ten thousand operator instances in one JVM."""

from __future__ import annotations

from harness import graphs, java, silent
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Published, Run, Subject

START = Metric("start_s", "seconds to running")
RESIDENT = Metric("resident_mb", "resident MB")
SHARE = Metric("core_percent", "% of one core")
THREADS = Metric("threads", "threads")
CHAINS = 4
"""Operators of the graph, each in a quarter of the instances."""
MEMORY_BYTES = 512 << 20
DEPLOYMENT = {"format": 1, "resources": {"only": {"start": "child", "memory_bytes": MEMORY_BYTES}}, "place": {"*": ["only"]}}


def alone(run: Run) -> Measured:
    """Source, two relays, sink, each a quarter of the instances, linked one to one, none fused, all in one resource."""
    made = silent.silent(graphs.relay(50, stages=CHAINS - 2, verify="none"))
    for operator in made["operators"].values():
        operator["parallelism"] = run.point["instances"] // CHAINS
    found = silent.measured(run, made, DEPLOYMENT, with_coordinator=False)
    return Measured({START.name: found.start_s, RESIDENT.name: found.usage.resident_bytes / 1e6,
                     SHARE.name: found.core_percent, THREADS.name: found.usage.threads})


def _at(instances: int) -> Point:
    return {"instances": instances}


EXPERIMENT = Experiment(
    name="instances",
    doc="""Idle operator instances in one resource's JVM: a graph of four operators, a quarter of the instances each, linked
    one to one, none fused, so that each is a task with a queue of its own. Seconds from the API's call to the running job,
    the start of both JVMs included; resident memory and processor time of the resource while nothing comes.""",
    subjects=(Subject("despina", alone, 8),),
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
    needs=(java.java_needed,),
)

