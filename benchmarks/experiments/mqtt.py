"""Topics of MQTT in and out, beside loops by hand over the same codec."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from despina import installed
from despina.errors import StartError
from despina.job import Job
from harness import api, engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject
from harness.processes import RunError

READ, LOGGED = "a bare subscriber", "mqtt_source, with its log"
PUBLISH, PUBLISHED = "a bare publisher", "mqtt_sink"
TOPIC, CLIENT = "readings", "bench"
IN_FLIGHT = 4000
WARM = 4
"""The first part of what is read does not count, here and in the loop."""
LOOK_EVERY_S = 0.02
PATIENCE_S = 120.0
JAR = "despina-mqtt.jar"


def _support() -> Any:
    tests = str(graphs.ROOT / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    return importlib.import_module("support.mqtt")


def broker_needed() -> None:
    """An experiment's need: a broker."""
    if _support().PROGRAM is None:
        raise StartError("mosquitto_missing", "there is no mosquitto", "apt install mosquitto")


def _loop(run: Run, what: str, port: int, count: int) -> float:
    path = [str(installed.our_jar().with_name(JAR))]
    classes = java.compiled(run.lab, "mqtt_loop", path)
    client = "publisher" if what == "publish" else CLIENT
    done = subprocess.run(java.command(classes, "MqttLoop", what, port, client, TOPIC, count, class_path=path),
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"MqttLoop {what} ended with {done.returncode}: {done.stderr.strip()}")
    return float(done.stdout)


def _broker(run: Run) -> Any:
    return _support().Mosquitto(run.folder / "broker", "allow_anonymous true", "persistence false", inflight=IN_FLIGHT)


@contextmanager
def _filled(run: Run) -> Iterator[Any]:
    """A broker whose session has messages for a client."""
    with _broker(run) as broker:
        _loop(run, "subscribe", broker.port, -1)
        _loop(run, "publish", broker.port, run.point["messages"])
        yield broker


def _read(run: Run) -> Measured:
    with _filled(run) as broker:
        return Measured({engine.PER_S.name: _loop(run, "read", broker.port, run.point["messages"])}, {})


def _logged(run: Run) -> Measured:
    """A job has no end here: it is looked at until all messages are in the graph."""
    messages = run.point["messages"]
    with _filled(run) as broker, api.session() as session:
        graph: graphs.Json = {"format": 1, "name": "mqtt_in", "operators": {
            "source": {"type": "mqtt_source", "broker": broker.url, "topics": [TOPIC], "format": "raw", "client_id": CLIENT},
            "sink": {"type": "discard_sink"}}, "links": [{"from": "source", "to": "sink"}]}
        with api.job(graph, session, state=run.folder / "state") as job:
            begun, before = _arrived(job, messages // WARM)
            ended, taken = _arrived(job, messages)
    return Measured({engine.PER_S.name: (taken - before) / (ended - begun)}, {})


def _arrived(job: Job, count: int) -> tuple[float, int]:
    """When so many packets or more have come to the sink, and how many."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        taken = int(job.poll().operators["sink"]["packets_in"])
        now = time.monotonic()
        if taken >= count:
            return now, taken
        if now > deadline:
            raise RunError(f"{taken} of {count} messages came")
        time.sleep(LOOK_EVERY_S)


def _publish(run: Run) -> Measured:
    with _broker(run) as broker:
        return Measured({engine.PER_S.name: _loop(run, "publish", broker.port, run.point["messages"])}, {})


def _published(run: Run) -> Measured:
    with _broker(run) as broker:
        rows = {"type": "select", "select": ["CAST(repeat('x', 100) AS BINARY) AS value"]}
        graph: graphs.Json = {"format": 1, "name": "mqtt_out", "operators": {
            "source": {"type": "generator_source", "rows": rows, "count": run.point["messages"]},
            "sink": {"type": "mqtt_sink", "broker": broker.url, "topic": TOPIC, "format": "raw"}},
            "links": [{"from": "source", "to": "sink"}]}
        report = engine.run(engine.Command(graph), run.folder)
    return Measured({engine.PER_S.name: run.point["messages"] / (report["elapsed_s"] - report["first_packet_s"])}, report)


def _claim(words: str, name: str, baseline: str) -> Claim:
    return Claim(words, lambda result: result.ratio(engine.PER_S.name, name, baseline, FULL), at_least=0.85)


def _seconds(point: Point, plan: Plan) -> float:
    return 5 + float(point["messages"]) / 6e4


FULL, QUICK = {"messages": 3_000_000}, {"messages": 100_000}

EXPERIMENT = Experiment(
    name="mqtt",
    doc="""Messages of 100 B with QoS 1, MQTT 5, through mosquitto, broker and job on the same cores. In: a session that has
    messages waiting is read by a subscriber that acknowledges each at once, and by a job that keeps its state, and so
    acknowledges what its log has on the disk. Out: published by hand, a thousand in flight, and by a job without state. The first
    quarter of what is read does not count.""",
    subjects=(Subject(READ, _read, seconds=_seconds), Subject(LOGGED, _logged, seconds=_seconds),
              Subject(PUBLISH, _publish, seconds=_seconds), Subject(PUBLISHED, _published, seconds=_seconds)),
    metrics=(engine.PER_S,),
    baseline=READ,
    full=Plan([FULL], warm_up_s=0, seconds=0),
    quick=Plan([QUICK], repeats=1, warm_up_s=0, seconds=0),
    claims=(_claim("in, of a bare subscriber", LOGGED, READ), _claim("out, of a bare publisher", PUBLISHED, PUBLISH)),
    needs=(java.compiler_needed, broker_needed),
)
