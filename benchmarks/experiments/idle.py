"""What a deployed graph costs while no packet comes."""

from __future__ import annotations

from harness import graphs, java, silent
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.result import Result
from harness.stats import Estimate

SHARE = Metric("core_percent", "% of one core")
SWITCHES = Metric("switches_per_s", "context switches/s")
RESIDENT = Metric("resident_mb", "resident MB")
START = Metric("start_s", "seconds to running")
DEPLOYMENT = {"format": 1, "resources": {"only": {"start": "child"}}, "place": {"*": ["only"]}}


def alone(run: Run) -> Measured:
    """A chain of so many operators, each a task of its own, all in one resource: its JVM and the coordinator's."""
    chain = silent.silent(graphs.relay(50, stages=run.point["operators"] - 2))
    found = silent.measured(run, chain, DEPLOYMENT, with_coordinator=True)
    return Measured({SHARE.name: found.core_percent, SWITCHES.name: found.switches_per_s,
                     RESIDENT.name: found.usage.resident_bytes / 1e6, START.name: found.start_s})


def _share(result: Result) -> Estimate | None:
    return result.estimate(SHARE.name, "despina", _at(1000))


def _at(operators: int) -> Point:
    return {"operators": operators}


EXPERIMENT = Experiment(
    name="idle",
    doc="""A graph is deployed and no packet comes: processor time, context switches and memory of the resource's JVM and
    the coordinator's together. The operators are a chain of tasks, none fused; the coordinator's heartbeats go on.""",
    subjects=(Subject("despina", alone, 4),),
    metrics=(SHARE, SWITCHES, RESIDENT, START),
    full=Plan([_at(3), _at(1000)], warm_up_s=10, seconds=20),
    quick=Plan([_at(1000)], repeats=1, warm_up_s=4, seconds=8),
    claims=(Claim("1,000 idle operators, % of one core", _share, at_most=1.0),),
    needs=(java.java_needed,),
)
