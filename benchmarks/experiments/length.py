"""Whether a stage costs the same in a long graph as in a short one."""

from __future__ import annotations

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
    engine,
    graphs,
    java,
    stats,
)
from harness.plots import Lines, lines
from harness.result import Repeat

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


def _dearest_to_cheapest(result: Result) -> Estimate | None:
    """Of the medians of all lengths the greatest, of the least."""
    medians = {stages: median for stages in STAGES if (median := result.median(PER_HOP.name, "despina", _at(stages))) is not None}
    if len(medians) < 2:
        return None
    dearest, cheapest = max(medians, key=lambda k: medians[k]), min(medians, key=lambda k: medians[k])
    return result.ratio(PER_HOP.name, "despina", "despina", _at(dearest), _at(cheapest))


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
        Claim("cost per hop at the dearest length, of that at the cheapest", _dearest_to_cheapest, at_most=1.15),
    ),
    figures=(Figure("cost", lines(Lines("stages", PER_HOP, log_x=False), Lines("stages", HOPS, log_x=False)), (10, 4)),),
    needs=(java.java_needed,),
)
