"""Topics of Kafka in and out, beside loops by hand over the same client."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from despina.errors import StartError
from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject
from harness.processes import RunError

LOOP, RAW, CSV = "a bare consumer", "raw into discard", "csv into discard"
COUNT_LOOP, COUNT, ONCE = "a bare loop that counts", "counts, at least once", "counts, exactly once"
CLASS_PATH = graphs.ROOT / "build" / "kafka-server.classpath"
TOPIC = "readings"
PARTITIONS = 2


def broker_needed() -> None:
    """An experiment's need: the jars of a broker."""
    if not CLASS_PATH.is_file():
        raise StartError("kafka_missing", f"{CLASS_PATH} is missing, which says where a broker's jars are",
                         "tools/gradle.sh classPaths")


def _loop(run: Run, *arguments: object) -> str:
    path = [CLASS_PATH.read_text()]
    classes = java.compiled(run.lab, "kafka_loop", path)
    done = subprocess.run(java.command(classes, "KafkaLoop", *arguments, class_path=path), capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise RunError(f"KafkaLoop {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


@contextmanager
def _broker(run: Run) -> Iterator[str]:
    """A broker with a filled topic; its folder is the experiment's, so it is filled once."""
    tests = str(graphs.ROOT / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    support: Any = importlib.import_module("support.kafka")
    folder: Path = run.lab / "broker"
    there = folder.exists()
    broker = support.Broker(folder, {"log.segment.bytes": "268435456"})
    broker.start()
    try:
        if not there:
            broker.topic(TOPIC, PARTITIONS)
            broker.topic(f"{TOPIC}.out", PARTITIONS)
            _loop(run, "fill", broker.servers, TOPIC, run.point["records"])
        yield broker.servers
    finally:
        broker.stop()


def _by_hand(what: str) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        with _broker(run) as servers:
            per_s, cpu_s = map(float, _loop(run, what, servers, TOPIC, run.point["records"]).split())
        return Measured({engine.PER_S.name: per_s, engine.CPU.name: 1e6 * cpu_s / run.point["records"]}, {})
    return measured


def _to_the_end(run: Run, graph: graphs.Json, *options: str) -> Measured:
    """Runs the graph, which reads the topic once: from the first packet to the last."""
    report = engine.run(engine.Command(graph, options=options), run.folder)
    per_s = run.point["records"] / (report["elapsed_s"] - report["first_packet_s"])
    cpu = sum(resource["cpu_s"] for resource in report["resources"].values())
    return Measured({engine.PER_S.name: per_s, engine.CPU.name: 1e6 * cpu / run.point["records"]}, report)


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
    return 8 + float(point["records"]) / 6e5


FULL, QUICK = {"records": 12_000_000}, {"records": 2_000_000}


def _all(point: Point) -> bool:
    return point == FULL


EXPERIMENT = Experiment(
    name="kafka",
    doc="""Records of 100 B of a topic of two partitions, broker and job on the same cores: dropped as they are (`raw`), dropped
    as three columns of csv, and counted by second and key into another topic, at least once, and exactly once with an epoch a
    second. Beside them loops by hand over the same client, one that looks at lengths, one that splits lines and counts in a map.
    Each reads the topic once, from its first packet to its last, in JVMs that begin cold.""",
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
    needs=(java.compiler_needed, broker_needed),
)
