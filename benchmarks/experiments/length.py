"""Whether a stage costs the same in a long graph as in a short one."""

from __future__ import annotations

import itertools

from harness import engine, graphs, java, stats
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.result import Repeat, Result
from harness.stats import Estimate

PER_HOP = Metric("cpu_s_per_million_hops", "CPU-s per million packets and hop")
"""The source's and the sink's work included, which the short graphs share among fewer hops."""
CPU = engine.CPU.name
HOPS = Metric("hops_per_s", "packets × hops per s")
STAGES = (1, 2, 4, 7, 10)
SIDES = ("near", "far")


def chain(run: Run) -> Measured:
    """Neighbours are in different resources, so every link is a TCP hop."""
    stages = run.point["stages"]
    graph = graphs.relay(50, stages=stages)
    place = {operator: [SIDES[k % 2]] for k, operator in enumerate(graph["operators"])}
    report = engine.timed(run, graph, graphs.deployment(place))
    found, hops = engine.measured(report).values, stages + 1
    return Measured({"per_s": found["per_s"], CPU: found[CPU],
                     PER_HOP.name: found[CPU] / hops, HOPS.name: found["per_s"] * hops}, report)


def _at(stages: int) -> Point:
    return {"stages": stages}


def _long_to_short(result: Result) -> Estimate | None:
    """A stage's cost in the longer half, of that in the shorter: source and sink, which all lengths have, drop out."""
    one, four, ten = (result.kept("despina", _at(stages)) for stages in (1, 4, 10))
    rounds = [(_per_stage(one[k], four[k]), _per_stage(four[k], ten[k])) for k in ten if k in one and k in four]
    return stats.ratio([long for _, long in rounds], [short for short, _ in rounds]) if rounds else None


def _greatest_rise(result: Result) -> Estimate | None:
    """Of the medians of all lengths a longer one's, of a shorter one's: where that is greatest."""
    medians = {stages: median for stages in STAGES if (median := result.median(PER_HOP.name, "despina", _at(stages))) is not None}
    if len(medians) < 2:
        return None
    short, long = max(itertools.combinations(medians, 2), key=lambda pair: medians[pair[1]] / medians[pair[0]])
    return result.ratio(PER_HOP.name, "despina", "despina", _at(long), _at(short))


def _per_stage(short: Repeat, long: Repeat) -> float:
    """CPU-seconds per million packets."""
    stages: int = long.point["stages"] - short.point["stages"]
    return (long.values[CPU] - short.values[CPU]) / stages


EXPERIMENT = Experiment(
    name="length",
    doc="""A source, 1 to 10 relays, a sink, 50-byte packets flat out; operators are dealt to two resources in turn, so
    every link is a TCP hop. CPU-seconds per million packets and hop. The source makes and the sink verifies packets, which
    the short graphs share among fewer hops.""",
    subjects=(Subject("despina", chain, 3),),
    metrics=(PER_HOP, engine.CPU, engine.PER_S, HOPS),
    full=Plan([_at(stages) for stages in STAGES], seconds=8),
    quick=Plan([_at(1), _at(10)], repeats=1, warm_up_s=3, seconds=4),
    claims=(
        Claim("what a stage costs from 4 stages to 10, of what it costs from 1 to 4", _long_to_short, at_most=1.15),
        Claim("cost per hop of a longer graph, of a shorter one's, where that is greatest", _greatest_rise, at_most=1.15),
    ),
    needs=(java.java_needed,),
    remarks="""The machine's pace changes within the hour: a run of the same day had costs a third higher at all lengths, and
    1.19 from 2 stages to 10 within noise (0.80 to 1.64). By `perf` (single runs, 5 s each) the JVMs' copies take 15 % of the
    processors' time with 2 stages and 21 % with 10, the source and the sink that much less.""",
)
