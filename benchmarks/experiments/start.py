"""From the command to the first packet at the sink."""

from __future__ import annotations

import subprocess
import time

from despina import archive, doctor
from harness import Claim, Estimate, Experiment, Figure, Measured, Metric, Plan, Result, Run, Subject, engine, graphs, java
from harness.plots import bars

ONE_JVM = "one JVM, one expression"
FIRST = Metric("first_packet_s", "seconds to the first packet")
EXPRESSIONS: graphs.Json = {
    "format": 1,
    "name": "expressions",
    "operators": {
        "source": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 1000},
        "relay": {"type": "filter", "where": "id % 2 = 0"},
        "sink": {"type": "discard_sink"},
    },
    "links": [{"from": "source", "to": "relay"}, {"from": "relay", "to": "sink"}],
}


def relay(run: Run) -> Measured:
    """A relay on two child JVMs, no expressions."""
    return engine.measured(engine.run(engine.Command(graphs.RELAY, graphs.RELAY_APART, duration_s=1), run.folder))


def expressions(run: Run) -> Measured:
    """A filter on two child JVMs."""
    return engine.measured(engine.run(engine.Command(EXPRESSIONS, graphs.RELAY_APART), run.folder))


def one_jvm(run: Run) -> Measured:
    """One JVM that compiles one expression and ends, with the class archive if there is one."""
    classes = java.compiled(run.lab, "compile_one")
    found, jars = doctor.find_java(), doctor.class_path()
    path = ":".join([*jars, str(classes)])
    began = time.monotonic()
    flags = [*doctor.module_flags(found.version), *archive.options(found, jars)]
    subprocess.run([str(found.executable), *flags, "-cp", path, "CompileOne"], check=True, capture_output=True)
    return Measured({FIRST.name: time.monotonic() - began})


def _median(result: Result) -> Estimate | None:
    return result.estimate(FIRST.name, "relay", {})


EXPERIMENT = Experiment(
    name="start",
    doc="""Seconds from the command to the first packet at the sink: the relay, and a filter, on two child JVMs each, beside
    one JVM that compiles one expression. `despina doctor --archive` first makes the class archive; it is stale after each
    build.""",
    subjects=(
        Subject("relay", relay, seconds=lambda point, plan: 3.5),
        Subject("expressions", expressions, seconds=lambda point, plan: 6),
        Subject(ONE_JVM, one_jvm, seconds=lambda point, plan: 2.5),
    ),
    metrics=(FIRST,),
    baseline=ONE_JVM,
    full=Plan([{}], repeats=7, warm_up_s=0, seconds=0),
    quick=Plan([{}], repeats=1, warm_up_s=0, seconds=0),
    claims=(
        Claim("the relay's first packet, in seconds", _median, at_most=1.5),
        Claim("a filter's first packet, in times of one JVM that compiles one expression",
              lambda result: result.ratio(FIRST.name, "expressions", ONE_JVM, {}), at_most=2),
    ),
    figures=(Figure("first_packet", bars(FIRST), (7, 2.8)),),
    needs=(java.compiler_needed,),
)
