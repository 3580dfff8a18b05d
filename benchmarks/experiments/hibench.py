"""HiBench's four streaming queries, as UPM-CEP runs them."""

from __future__ import annotations

from collections.abc import Callable

from harness import engine, graphs, java
from harness.experiment import Experiment, Measured, Plan, Point, Run, Subject

IDENTITY, REPARTITION, ONE_BY_ONE = "identity", "repartition", "repartition, one by one"
WORDS, WINDOW = "word count", "fixed window"
INSTANCES = 2
LINE = "concat('10.', CAST(pmod(id * 2654435761, 10000) AS STRING), ',', CAST(1500000000000 + id AS STRING))"
WORD = "concat('word', CAST(pmod(id * 2654435761, 10000) AS STRING))"


def _graph(select: list[str], operator: graphs.Json, partition: graphs.Json | None = None) -> graphs.Json:
    link = {"from": "events", "to": "query", "fuse": False, **({"partition": partition} if partition else {})}
    return {"format": 1, "name": "hibench",
            "operators": {"events": {"type": "generator_source", "rows": {"type": "select", "select": select}},
                          "query": operator,
                          "sink": {"type": "discard_sink", "parallelism": operator.get("parallelism", 1)}},
            "links": [link, {"from": "query", "to": "sink"}]}


GRAPHS: dict[str, graphs.Json] = {
    IDENTITY: _graph([f"{LINE} AS line"], {"type": "project", "select": ["*"]}),
    REPARTITION: _graph([f"{LINE} AS line"], {"type": "project", "select": ["*"], "parallelism": INSTANCES},
                        {"type": "round_robin"}),
    ONE_BY_ONE: _graph([f"{LINE} AS line", "id AS n"], {"type": "project", "select": ["*"], "parallelism": INSTANCES},
                       {"type": "hash", "by": ["n"]}),
    WORDS: _graph([f"{WORD} AS word", "id AS n"],
                  {"type": "aggregate", "group_by": ["word"], "emit": "each", "select": ["word", "count(*) AS n"]}),
}


def _subject(name: str) -> Callable[[Run], Measured]:
    def measure(run: Run) -> Measured:
        if name == WINDOW:
            report = engine.timed(run, graphs.GRAPHS / "fixed_window.graph.json",
                                  parameters={"ip": "CAST(pmod(id * 2654435761, 10000) AS INT)"})
            return engine.measured(report, "per_ip")
        return engine.measured(engine.timed(run, GRAPHS[name]), "query")
    return measure


POINT: Point = {}
EXPERIMENT = Experiment(
    name="hibench",
    doc=f"""HiBench's streaming queries on one process: identity, which copies its input; repartition, which deals it out to
    {INSTANCES} instances, a segment at a time in turn and, packet by packet, by each one's number; word count over 10,000
    words, a row for each; and the fixed window of 30 s over 10,000 addresses. The source makes the lines in a task of its
    own, which is most of the work of the first three.""",
    subjects=tuple(Subject(name, _subject(name), 3) for name in (*GRAPHS, WINDOW)),
    metrics=(engine.PER_S, engine.CPU),
    baseline=IDENTITY,
    full=Plan([POINT], warm_up_s=4, seconds=6),
    quick=Plan([POINT], repeats=1, warm_up_s=1, seconds=1.5),
    needs=(java.java_needed,),
)
