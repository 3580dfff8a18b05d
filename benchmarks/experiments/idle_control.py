"""What an operator `control` costs to which no commands come."""

from __future__ import annotations

from harness import engine, graphs, java, silent
from harness.experiment import Claim, Experiment, Measured, Plan, Run, Subject

WITH, WITHOUT = "with a control", "without"
POINT = {"packet_bytes": 50}
DEPLOYMENT = graphs.deployment({"relay": ["far"], "*": ["near"]})


def without(run: Run) -> Measured:
    """The relay as it is."""
    return engine.measured(engine.timed(run, graphs.relay(run.point["packet_bytes"]), DEPLOYMENT))


def with_control(run: Run) -> Measured:
    """Beside it, in the process of source and sink, a source of commands that sends none, and the operator that awaits them."""
    commands = {"type": "generator_source", "rows": {"type": "select", "select": ["'flush' AS command"]}}
    graph = graphs.relay(run.point["packet_bytes"])
    graph["operators"] |= {"commands": silent.silent({"operators": {"source": commands}})["operators"]["source"],
                           "steer": {"type": "control", "allow": ["flush"]}, "answers": {"type": "discard_sink"}}
    graph["links"] += [{"from": "commands", "to": "steer"}, {"from": "steer", "to": "answers"}]
    return engine.measured(engine.timed(run, graph, DEPLOYMENT))


EXPERIMENT = Experiment(
    name="idle_control",
    doc="""The relay in two processes, 50-byte packets flat out, with and without an operator `control` to which no command
    comes.""",
    subjects=(Subject(WITHOUT, without, 2), Subject(WITH, with_control, 2)),
    metrics=(engine.PER_S, engine.CPU),
    baseline=WITHOUT,
    full=Plan([POINT], repeats=7, warm_up_s=6, seconds=10),
    quick=Plan([POINT], repeats=1, warm_up_s=3, seconds=5),
    claims=(Claim("packets per CPU-second with it, of those without",
                  lambda result: result.ratio(engine.CPU.name, WITHOUT, WITH, POINT, POINT), at_least=0.99),),
    needs=(java.java_needed,),
)
