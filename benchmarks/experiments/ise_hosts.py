"""ISE's Fig 4: the same work on 1, 2, 4 and 8 hosts."""

from __future__ import annotations

from harness import engine, graphs, java
from harness.experiment import Experiment, Figure, Measured, Plan, Point, Published, Run, Subject
from harness.plots import Lines, lines

CORES = 8
"""Of all hosts together, and instances of each operator."""
HOSTS = (1, 2, 4, 8)
RATE = 8000


def spread(run: Run) -> Measured:
    """Instances of source, step and collector are dealt over the hosts: the one that reads is on the next."""
    count = run.point["hosts"]
    names = [f"host_{k}" for k in range(count)]
    rows = ["id", "concat('sensor-', id % 100) AS sensor", "20 + 5 * sin(id / 50D) AS celsius", "id % 7 AS line"]
    operators: graphs.Json = {
        "source": {"type": "generator_source", "rate_per_s": RATE, "parallelism": CORES,
                   "rows": {"type": "select", "select": rows}},
        "step": {"type": "project", "select": ["*", "round(celsius * 9 / 5 + 32, 1) AS fahrenheit"], "parallelism": CORES},
        "collector": {"type": "discard_sink", "parallelism": CORES}}
    graph = {"format": 1, "name": "spread", "operators": operators, "links": [
        {"from": "source", "to": "step", "fuse": False}, {"from": "step", "to": "collector", "fuse": False}]}
    place = {name: names[k % count:] + names[:k % count] for k, name in enumerate(operators)}
    report = engine.timed(run, graph, graphs.deployment(place, cores=CORES // count))
    return engine.measured(report, sink="collector")


def _at(count: int) -> Point:
    return {"hosts": count}


EXPERIMENT = Experiment(
    name="ise_hosts",
    doc=f"""Source, step and collector of {CORES} instances each, {RATE:,} records a second in all, in 1 process of {CORES}
    worker threads, 2 of 4, 4 of 2 and 8 of one, as ISE had 1 machine with 8 cores to 8 with one: from process to process is a
    TCP connection here, and all share this machine's cores. Ages from due times to the collector.""",
    subjects=(Subject("despina", spread, seconds=lambda point, plan: 3 + point["hosts"] + plan.warm_up_s + plan.seconds),),
    metrics=(engine.P50, engine.P95, engine.P99, engine.CPU),
    full=Plan([_at(count) for count in HOSTS], warm_up_s=5, seconds=6),
    quick=Plan([_at(1), _at(4)], repeats=1, warm_up_s=2, seconds=2.5),
    published=(Published("002 ISE, Fig 4", "best on one host or on many, 8 CPUs", None, "ms p50 on 8 hosts",
                         lambda result: result.median("p50_ms", "despina", _at(8))),),
    figures=(Figure("latency", lines(Lines("hosts", engine.P50, title="median"), Lines("hosts", engine.P95, title="95 %")),
                    (11, 4.4)),),
    needs=(java.java_needed,),
)
