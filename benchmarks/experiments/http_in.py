"""Rows by POST into a graph, beside a server by hand."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.processes import RunError, free_ports
from harness.result import Result
from harness.stats import Estimate

ROWS_PER_S = Metric("per_s", "rows/s")
BARE, OURS, KEPT = "a server by hand", "http_source", "http_source, on the disk"
FLAT_OUT, PACED = {"rows_per_s": 0}, {"rows_per_s": 200_000}


def _posted(run: Run, port: int) -> Measured:
    words = java.command(java.compiled(run.lab, "http_loop"), "HttpLoop", "post", port, run.point["rows_per_s"], run.warm_up_s,
                         run.seconds)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"HttpLoop post ended with {done.returncode}: {done.stderr.strip()}")
    values = map(float, done.stdout.split())
    return Measured(dict(zip((ROWS_PER_S.name, engine.P50.name, engine.P99.name), values, strict=True)))


def bare(run: Run) -> Measured:
    """A thread for each connection, which cuts the lines of a body at their commas, and answers."""
    port, = free_ports(1)
    run.processes.start("server", java.command(java.compiled(run.lab, "http_loop"), "HttpLoop", "serve", port))
    return _posted(run, port)


def _in_a_graph(*, keeps: bool) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        port, = free_ports(1)
        source = {"type": "http_source", "port": port, "format": "csv", "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE"}
        graph: graphs.Json = {"format": 1, "name": "http_in", "operators": {
            "source": source, "sink": {"type": "discard_sink"}}, "links": [{"from": "source", "to": "sink"}]}
        command = engine.Command(graph, warm_up_s=run.warm_up_s, limit_s=engine.SLACK_S,
                                 options=("--state", str(run.folder / "state")) if keeps else ())
        with engine.running(command, run.folder) as under_way:
            found = _posted(run, port)
            report = under_way.stopped()
        cpu = engine.measured(report).values[engine.CPU.name]
        return Measured({**found.values, engine.CPU.name: cpu}, report)
    return measured


def _found(metric: str, subject: str, point: Point) -> Callable[[Result], Estimate | None]:
    return lambda result: result.estimate(metric, subject, point)


EXPERIMENT = Experiment(
    name="http_in",
    doc="""Batches of 100 rows of csv (a time, a text, a double) by POST over 32 connections, each of which waits for its
    answer: as fast as it goes, and 200,000 rows a second, where the time to the answer counts from when the request was due.
    Client and server on the same cores. A server by hand cuts the lines; the graph decodes and drops them, and with a state
    folder answers when they are on the disk.""",
    subjects=(Subject(BARE, bare, 1), Subject(OURS, _in_a_graph(keeps=False), 4),
              Subject(KEPT, _in_a_graph(keeps=True), 4)),
    metrics=(ROWS_PER_S, engine.P50, engine.P99, engine.CPU),
    baseline=BARE,
    full=Plan([FLAT_OUT, PACED], warm_up_s=6, seconds=6),
    quick=Plan([FLAT_OUT], repeats=1, warm_up_s=2, seconds=2),
    claims=(Claim("rows/s", _found(ROWS_PER_S.name, OURS, FLAT_OUT), at_least=200_000),
            Claim("rows/s, on the disk", _found(ROWS_PER_S.name, KEPT, FLAT_OUT), at_least=200_000),
            Claim("200,000 rows/s: p99 of the answer, ms", _found(engine.P99.name, OURS, PACED), at_most=10),
            Claim("200,000 rows/s, on the disk: p99 of the answer, ms", _found(engine.P99.name, KEPT, PACED), at_most=10)),
    needs=(java.compiler_needed,),
)
