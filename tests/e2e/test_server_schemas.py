"""``despina schema`` with a URL: what it prints for what is at real servers passes ``check``, and runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from despina import servers
from despina.engine import Engine
from despina.graph import Graph, RunOptions
from e2e.conftest import Call
from support import postgres
from support.databases import Database, driver_jar
from support.graphs import Fields, chain
from support.kafka import Broker
from support.mqtt import Mosquitto
from support.postgres import Postgres

COLLECTED: Fields = {"type": "collect_sink"}


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres.running() as started:
        yield started


def printed(call: Call, *arguments: str | Path) -> Fields:
    ended = call("schema", *arguments)
    assert ended.code == 0, ended.err
    found: Fields = json.loads(ended.out)
    return found


def rows(engine: Engine, source: Fields, **options: Any) -> list[dict[str, Any]]:
    """What a run of that source gives, which ends."""
    with Graph.from_dict(chain(("in", source), ("out", COLLECTED))).start(engine, RunOptions(**options)) as job:
        return list(job.rows("out").to_pylist())


@pytest.mark.parametrize(("values", "form", "schema", "row"), [
    (['{"device": "d1",\n "celsius": 20.5, "n": 1}', '{"n": 3000000000}'], "json", "celsius DOUBLE,device STRING,n BIGINT",
     {"celsius": 20.5, "device": "d1", "n": 1}),
    (["1;a, b;2.5", "2;c;3"], "csv", "_c0 INT,_c1 STRING,_c2 DOUBLE", {"_c0": 1, "_c1": "a, b", "_c2": 2.5}),
    (["21.5", " 7"], "csv", "value DOUBLE", {"value": 21.5}),
    (["door opened", "door closed, twice"], "text", None, {"value": "door opened"}),
])
@pytest.mark.connector("kafka", "schema")
def test_messages_of_kafka_say_what_they_are(call: Call, kafka: Broker, engine: Engine, request: pytest.FixtureRequest,
                                             values: list[str], form: str, schema: str | None, row: dict[str, Any]) -> None:
    topic = kafka.topic(f"schema{abs(hash(request.node.name))}")
    kafka.send(topic, [None, *values])
    found = printed(call, f"kafka://{kafka.servers}/{topic}")
    assert (found["format"], found.get("schema")) == (form, schema)
    source = {**found, "stop_at": "end", "on_error": {"type": "skip"}}
    assert rows(engine, source)[0] == row


@pytest.mark.connector("kafka", "schema")
def test_bytes_of_kafka_and_an_empty_topic(call: Call, kafka: Broker) -> None:
    topic = kafka.topic("schema_bytes")
    empty = call("schema", f"kafka://{kafka.servers}/{topic}")
    assert empty.code == 2
    assert f"{topic} has no record" in empty.err
    kafka.send(topic, [b"\xff\x00"])
    assert printed(call, f"kafka://{kafka.servers}/{topic}")["format"] == "raw"
    missing = call("schema", f"kafka://{kafka.servers}/not_there")
    assert missing.code == 2
    assert "has no topic `not_there`" in missing.err


@pytest.mark.connector("mqtt", "schema")
def test_messages_of_mqtt_are_waited_for_and_no_session_stays(call: Call, mosquitto: Mosquitto, engine: Engine) -> None:
    mosquitto.send("schemas/l1/d1", ['{"celsius": 20}'], retain=True)

    def send() -> None:
        mosquitto.awaits("schemas/+/+")
        mosquitto.send("schemas/l1/d2", ['{"celsius": 20.5, "unit": "C"}'] * servers.MESSAGES)

    sender = Thread(target=send)
    sender.start()
    found = printed(call, f"{mosquitto.url}/schemas/{{line}}/{{device}}", "--field", 'qos="1"')
    sender.join()
    assert found == {"type": "mqtt_source", "broker": mosquitto.url, "topics": ["schemas/{line}/{device}"], "qos": "1",
                     "format": "json", "schema": "celsius DOUBLE,unit STRING"}
    silent = call("schema", f"{mosquitto.url}/nothing/here/#", "--wait", "0.2")
    assert silent.code == 2
    assert "no message came on nothing/here/# within 0.2 s" in silent.err


@pytest.mark.connector("jdbc", "schema")
def test_columns_of_a_table_of_postgresql_are_a_source(call: Call, server: Postgres, engine: Engine) -> None:
    server.execute("CREATE TABLE typed (id BIGSERIAL PRIMARY KEY, b BOOLEAN, s SMALLINT, i INTEGER, r REAL, d DOUBLE PRECISION, "
                   "n NUMERIC(10, 2), free NUMERIC, t TEXT, day DATE, at TIMESTAMPTZ, local TIMESTAMP, bytes BYTEA, j JSONB, "
                   "\"Odd name\" UUID, tags TEXT[])")
    server.execute("INSERT INTO typed (b, s, i, r, d, n, free, t, day, at, local, bytes, j, tags) VALUES (true, 1, 2, 0.5, 0.25, "
                   "1.25, 3.5, 'ä', '2026-11-28', '2026-11-28T12:00:00Z', '2026-11-28T12:00:00', 'x', '{\"a\": 1}', '{a,b}')")
    jar = postgres.driver_jar()
    ended = call("schema", f"{server.url('public')}&table=typed", "--jar", jar, "--field", "user=postgres")
    assert ended.code == 0, ended.err
    assert "column `free` is numeric, of any number of digits" in ended.err
    found = json.loads(ended.out)
    assert found["schema"] == (
        "id BIGINT, b BOOLEAN, s SMALLINT, i INT, r FLOAT, d DOUBLE, n DECIMAL(10,2), free DOUBLE, t STRING, day DATE, "
        "at TIMESTAMP, local TIMESTAMP_NTZ, bytes BINARY, j STRING, `Odd name` STRING, tags STRING")
    assert (found["table"], found["column"], found["url"]) == ("typed", "id", server.url("public"))
    row = rows(engine, found, jars=(jar,))[0]
    assert (row["id"], row["i"], str(row["n"]), row["t"], row["j"], row["tags"]) == (1, 2, "1.25", "ä", '{"a": 1}', "{a,b}")
    missing = call("schema", f"{server.url('public')}&table=type", "--jar", jar, "--field", "user=postgres")
    assert missing.code == 2
    assert "did you mean `typed`?" in missing.err


@pytest.mark.connector("jdbc", "schema")
def test_a_table_of_sqlite_and_a_query(call: Call, tmp_path: Path, engine: Engine) -> None:
    Database(tmp_path / "p.db", "CREATE TABLE readings (id INTEGER PRIMARY KEY, device TEXT, celsius REAL)",
             "INSERT INTO readings VALUES (3000000000, 'd', 1.5)")
    jar = driver_jar()
    found = printed(call, f"jdbc:sqlite:{tmp_path / 'p.db'}?table=readings", "--jar", jar)
    assert (found["schema"], found["column"]) == ("id BIGINT, device STRING, celsius DOUBLE", "id")
    assert rows(engine, found, jars=(jar,)) == [{"id": 3000000000, "device": "d", "celsius": 1.5}]
    asked = printed(call, f"jdbc:sqlite:{tmp_path / 'p.db'}", "--jar", jar, "--field", "query=SELECT device FROM readings")
    assert asked["schema"] == "device STRING"
    assert "column" not in asked


@pytest.mark.parametrize(("arguments", "words"), [
    (["kafka://127.0.0.1:9092"], "does not say what to read"),
    (["jdbc:postgresql://h/d", "--jar", "x.jar"], "the URL names no table"),
    (["jdbc:sqlite:x.db?table=t"], "--jar DRIVER.jar"),
    (["jdbc:strange:x?table=t", "--jar", "x.jar"], "the driver for jdbc:strange: is not known"),
    (["mqtt://h/t", "--header"], "messages and tables have no header"),
    (["readings.csv", "--field", "a=1"], "--field and --jar are for a URL"),
])
def test_what_cannot_be_asked_is_refused(call: Call, arguments: list[str], words: str) -> None:
    ended = call("schema", *arguments)
    assert ended.code == 2
    assert words in ended.err


@pytest.mark.parametrize(("texts", "found"), [
    (['{"a": 1}', ' {} '], ("json", None)), (["1", "-2.5e3"], ("csv", ",")), (["a,b", 'c,"d,e"'], ("csv", ",")),
    (["a\tb", "c\td"], ("csv", "\t")), (["a,b", "c"], ("text", None)), (["[1]"], ("text", None)), (["a\nb"], ("text", None)),
])
def test_the_format_is_guessed_from_all_messages(texts: list[str], found: tuple[str, str | None]) -> None:
    assert servers.guessed(texts) == found
