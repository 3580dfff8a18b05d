"""How much older records of Kafka are behind a graph than behind a loop by hand."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from harness import engine, graphs, java, kafka
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject
from harness.result import Result

LOOP, OURS = "a bare loop", "kafka_source, kafka_sink"
RATE = 20_000
POINT = {"rate_per_s": RATE}
PARTITIONS = 2


@contextmanager
def _topics(run: Run) -> Iterator[tuple[Any, str]]:
    """A broker, and a topic of this repeat's own, with another one for what comes out."""
    topic = f"readings-{uuid.uuid4().hex}"
    with kafka.broker(run) as broker:
        for name in (topic, f"{topic}.out"):
            broker.topic(name, PARTITIONS)
        yield broker, topic


def _paced(run: Run, servers: str, topic: str) -> dict[str, float]:
    said = kafka.loop(run, "pace", servers, topic, run.point["rate_per_s"], run.warm_up_s, run.seconds)
    return dict(zip((engine.P50.name, engine.P99.name, engine.P999.name), map(float, said.split()), strict=True))


def by_hand(run: Run) -> Measured:
    """Consumes, and produces each record again."""
    with _topics(run) as (broker, topic):
        loop = run.processes.start("loop", kafka.loop_command(run, "forward", broker.servers, topic))
        try:
            return Measured(_paced(run, broker.servers, topic))
        finally:
            loop.kill()
            loop.wait()


def in_a_graph(run: Run) -> Measured:
    """The same by a job that keeps its state, at least once."""
    with _topics(run) as (broker, topic):
        graph: graphs.Json = {"format": 1, "name": "kafka_latency", "operators": {
            "source": {"type": "kafka_source", "bootstrap_servers": broker.servers, "topics": [topic], "format": "raw"},
            "sink": {"type": "kafka_sink", "bootstrap_servers": broker.servers, "topic": f"{topic}.out", "format": "raw",
                     "delivery": "at_least_once"}}, "links": [{"from": "source", "to": "sink"}]}
        command = engine.Command(graph, warm_up_s=run.warm_up_s, limit_s=engine.SLACK_S,
                                 options=("--state", str(run.folder / "state")))
        with engine.running(command, run.folder) as under_way:
            values = _paced(run, broker.servers, topic)
            report = under_way.stopped()
    return Measured({**values, engine.CPU.name: engine.measured(report).values[engine.CPU.name]}, report)


def _more(metric: Metric) -> Callable[[Result], float | None]:
    def found(result: Result) -> float | None:
        ours, theirs = (result.median(metric.name, subject, POINT) for subject in (OURS, LOOP))
        return None if ours is None or theirs is None else ours - theirs
    return found


EXPERIMENT = Experiment(
    name="kafka_latency",
    doc="""Records of 100 B, 20,000 a second, from a topic of two partitions to another one, broker, client and job on the same
    cores: by a loop by hand over the same client with its defaults, and by a job that keeps its state, at least once. A program
    writes records and reads what comes out, and their age counts from when they were due.""",
    subjects=(Subject(LOOP, by_hand, 6), Subject(OURS, in_a_graph, 9)),
    metrics=(engine.P50, engine.P99, engine.P999, engine.CPU),
    baseline=LOOP,
    full=Plan([POINT], warm_up_s=10, seconds=10),
    quick=Plan([POINT], repeats=1, warm_up_s=2, seconds=2),
    claims=(Claim("p50, ms more than the loop's", _more(engine.P50), at_most=2),
            Claim("p99, ms more than the loop's", _more(engine.P99), at_most=10)),
    needs=(java.compiler_needed, kafka.needed),
)
