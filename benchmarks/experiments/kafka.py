"""Topics of Kafka in and out, beside loops by hand over the same client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness import engine, graphs, java, kafka
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject

LOOP, RAW, CSV = "a bare consumer", "raw into discard", "csv into discard"
COUNT_LOOP, COUNT, ONCE = "a bare loop that counts", "counts, at least once", "counts, exactly once"
TOPIC = "readings"
PARTITIONS = 2


@contextmanager
def _broker(run: Run) -> Iterator[str]:
    """A broker with a filled topic; its folder is the experiment's, so it is filled once."""
    filled = run.lab / "filled"
    with kafka.broker(run) as broker:
        if not filled.exists():
            broker.topic(TOPIC, PARTITIONS)
            broker.topic(f"{TOPIC}.out", PARTITIONS)
            kafka.loop(run, "fill", broker.servers, TOPIC, run.point["records"])
            filled.touch()
        yield broker.servers


def _by_hand(what: str) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        with _broker(run) as servers:
            per_s, cpu_s = map(float, kafka.loop(run, what, servers, TOPIC, run.point["records"], run.point["first"]).split())
        return Measured({engine.PER_S.name: per_s, engine.CPU.name: cpu_s}, {})
    return measured


def _to_the_end(run: Run, graph: graphs.Json, *options: str) -> Measured:
    """Runs the graph, which reads the topic once: from the end of the warm-up to the last packet."""
    report = engine.run(engine.Command(graph, warm_up_s=run.point["warm_up_s"], options=options), run.folder)
    taken = report["operators"]["source"]["packets_out"]
    cpu = sum(resource["cpu_s"] for resource in report["resources"].values())
    return Measured({engine.PER_S.name: taken / report["measured_s"], engine.CPU.name: 1e6 * cpu / taken}, report)


def _source(servers: str, form: str) -> graphs.Json:
    fields: graphs.Json = {"type": "kafka_source", "bootstrap_servers": servers, "topics": [TOPIC], "format": form,
                           "stop_at": "end"}
    if form == "csv":
        fields |= {"schema": "ts TIMESTAMP, k STRING, rest STRING", "event_time": {"column": "ts", "max_delay_ms": 2000}}
    return fields


def _discarded(form: str) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        with _broker(run) as servers:
            return _to_the_end(run, {"format": 1, "name": "kafka_in", "operators": {
                "source": _source(servers, form), "sink": {"type": "discard_sink"}}, "links": [{"from": "source", "to": "sink"}]})
    return measured


def _counted(*, once: bool) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        counts: graphs.Json = {"type": "aggregate", "group_by": ["k"], "window": {"type": "tumbling", "size_ms": 1000},
                               "select": ["k", "count(*) AS n"], "accept": ["late"]}
        with _broker(run) as servers:
            sink: graphs.Json = {"type": "kafka_sink", "bootstrap_servers": servers, "topic": f"{TOPIC}.out", "key": "k",
                                 "format": "json", "delivery": "by_epoch" if once else "at_least_once"}
            graph: graphs.Json = {"format": 1, "name": "kafka_counts", "operators": {
                "source": _source(servers, "csv"), "counts": counts, "sink": sink},
                "links": [{"from": "source", "to": "counts"}, {"from": "counts", "to": "sink"}]}
            return _to_the_end(run, graph, "--state", str(run.folder / "state"))
    return measured


def _claim(words: str, name: str, baseline: str, at_least: float) -> Claim:
    return Claim(words, lambda result: result.ratio(engine.PER_S.name, name, baseline, FULL), at_least=at_least)


def _seconds(point: Point, plan: Plan) -> float:
    return 6 + float(point["records"]) / 8e5


FULL = {"records": 24_000_000, "first": 8_000_000, "warm_up_s": 5}
QUICK = {"records": 4_000_000, "first": 1_000_000, "warm_up_s": 1}


def _all(point: Point) -> bool:
    return point == FULL


EXPERIMENT = Experiment(
    name="kafka",
    doc="""Records of 100 B of a topic of two partitions, broker and job on the same cores: dropped as they are (`raw`), dropped
    as three columns of csv, and counted by second and key into another topic, at least once, and exactly once with an epoch a
    second. Beside them loops by hand over the same client, one that looks at lengths, one that splits lines and counts in a map.
    Each reads the topic once; what is read while its JVM is cold does not count: eight million records of a loop's, five seconds
    of a graph's.""",
    subjects=(Subject(LOOP, _by_hand("read"), seconds=_seconds), Subject(RAW, _discarded("raw"), seconds=_seconds),
              Subject(CSV, _discarded("csv"), seconds=_seconds, at=_all),
              Subject(COUNT_LOOP, _by_hand("count"), seconds=_seconds, at=_all),
              Subject(COUNT, _counted(once=False), seconds=_seconds, at=_all),
              Subject(ONCE, _counted(once=True), seconds=_seconds, at=_all)),
    metrics=(engine.PER_S, engine.CPU),
    baseline=LOOP,
    full=Plan([FULL], warm_up_s=0, seconds=0),
    quick=Plan([QUICK], repeats=1, warm_up_s=0, seconds=0),
    claims=(_claim("raw, of a bare consumer", RAW, LOOP, 0.85),
            _claim("counts at least once, of a bare loop", COUNT, COUNT_LOOP, 0.8),
            _claim("exactly once, of at least once", ONCE, COUNT, 0.8)),
    needs=(java.compiler_needed, kafka.needed),
)
