"""``despina new --template``: each, from an empty folder, runs between real servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from despina.engine import Engine
from despina.graph import RunOptions, load
from e2e.conftest import Call
from support import postgres
from support.kafka import Broker
from support.mqtt import Mosquitto
from support.postgres import Postgres
from support.processes import until


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres.running() as started:
        yield started


def test_messages_of_mqtt_reach_postgresql(call: Call, engine: Engine, mosquitto: Mosquitto, server: Postgres,
                                           tmp_path: Path) -> None:
    assert call("new", "--template", "mqtt-to-postgres", ".").code == 0
    (tmp_path / "password").write_text("none is needed here\n")
    server.execute((tmp_path / "table.sql").read_text())
    jar, name = postgres.driver_jar(), "mqtt-to-postgres.graph.json"
    values = {"broker": mosquitto.url, "database": server.url("public"), "user": "postgres"}
    set_all = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    tried = call("check", name, "--connect", "--jar", jar, *set_all)
    assert tried.code == 0, tried.err
    assert "readings: ok, " in tried.out
    assert "stored: ok, " in tried.out
    options, log = RunOptions(parameters=values, jars=(jar,), state=str(tmp_path / "state")), mosquitto.log
    tried_so_far = log.read_text().count("plant/+/+/celsius")
    with load(tmp_path / name).start(engine, options) as job:
        until(lambda: log.read_text().count("plant/+/+/celsius") > tried_so_far, "subscription")
        sent = call("run", "send.graph.json", "--set", f"broker={mosquitto.url}")
        assert sent.code == 0, sent.err
        until(lambda: server.execute("SELECT count(*) FROM readings") == [(98,)], "98 readings")
        job.stop()
        job.wait()
    assert server.execute("SELECT count(*), count(DISTINCT ts), max(celsius) FROM readings WHERE line = 'l0'") == [(50, 50, 26.0)]


def test_minutes_of_one_topic_reach_another(call: Call, engine: Engine, kafka: Broker, tmp_path: Path) -> None:
    assert call("new", "--template", "kafka-window-kafka", ".").code == 0
    assert call("test", ".").code == 0
    kafka.topic("template_readings", 3)
    kafka.topic("template_minutes")
    values = {"servers": kafka.servers, "from": "template_readings", "to": "template_minutes"}
    name = "kafka-window-kafka.graph.json"
    set_all = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    assert call("check", name, "--connect", *set_all).code == 0
    sent = call("run", "send.graph.json", "--set", f"servers={kafka.servers}", "--set", "to=template_readings")
    assert sent.code == 0, sent.err
    with load(tmp_path / name).start(engine, RunOptions(parameters=values, state=str(tmp_path / "state"))) as job:
        until(lambda: len(kafka.values("template_minutes")) >= 6, "the minutes that are over")
        job.stop(flush=True)
        job.wait()
    found = [json.loads(value) for value in kafka.values("template_minutes")]
    assert len(found) == 9
    assert {row["device"] for row in found} == {"d0", "d1", "d2"}
    assert sum(row["n"] for row in found) == 600


def test_lines_of_telegraf_are_taken(call: Call, tmp_path: Path) -> None:
    """That they become minutes is a test of the cookbook, of which it is a graph."""
    assert call("new", "--template", "telegraf-in", ".").code == 0
    checked = call("check", "telegraf_in.graph.json", "--connect")
    assert checked.code == 0, checked.err
    assert call("test", ".").code == 0
    assert (tmp_path / "metrics.influx").read_text().startswith("cpu")
