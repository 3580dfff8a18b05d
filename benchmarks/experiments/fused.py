"""Three stateless operators with real expressions, fused into one task, on one core."""

from __future__ import annotations

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Run, Subject

ALONE, TWO = "one core", "all cores"
FIRST = "warm"
"""The first of the three: its packets count."""
POINT = {"operators": 3}


def one_core(run: Run) -> Measured:
    """The whole engine, the source and its own expressions too, on one core."""
    return engine.measured(engine.timed(run, graphs.GRAPHS / "fused.graph.json", wrapped=engine.on_one_core), FIRST)


def all_cores(run: Run) -> Measured:
    """The same task, with other cores for the compiler and what else a JVM does."""
    return engine.measured(engine.timed(run, graphs.GRAPHS / "fused.graph.json"), FIRST)


EXPERIMENT = Experiment(
    name="fused",
    doc="""A source with four expressions, filter, project, filter and a sink in one task: packets that enter the first filter;
    69 % pass it. The source's work is included.""",
    subjects=(Subject(ALONE, one_core), Subject(TWO, all_cores)),
    metrics=(engine.PER_S, engine.CPU),
    baseline=ALONE,
    full=Plan([POINT], warm_up_s=6, seconds=5),
    quick=Plan([POINT], repeats=1, warm_up_s=4, seconds=3),
    claims=(Claim("packets/s on one core, the source's work included",
                  lambda result: result.estimate("per_s", ALONE, POINT), at_least=15e6),),
    needs=(java.java_needed, engine.taskset_needed),
)
