"""``mqtt_source`` and ``mqtt_sink`` with a broker: what is read and written, and what is said where something is wrong."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from despina.job import Job
from e2e.conftest import Call
from e2e.runs import refused
from support.certificates import certificate
from support.graphs import Fields, chain, rows, write
from support.mqtt import DYNAMIC_SECURITY, Mosquitto, sink, source, user_properties
from support.processes import free_port, until

COUNT = 300
COLLECTED: Fields = {"type": "collect_sink"}


def came(job: Job, count: int, operator: str = "out") -> None:
    """Waits until so many rows have come."""
    until(lambda: job.poll().operators[operator]["packets_in"] >= count or job.counters.state in ("failed", "done", "stopped"),
          f"{count} rows in `{operator}`")


@contextmanager
def reading(engine: Engine, broker: Mosquitto, fields: Fields, **options: Any) -> Iterator[Job]:
    """A job that collects what a source gives; it has subscribed."""
    graph = Graph.from_dict(chain(("in", fields), ("out", COLLECTED), name="read"))
    with graph.start(engine, RunOptions(**options)) as job:
        broker.awaits(*(re.sub(r"{\w+}", "+", topic) for topic in fields["topics"]))
        yield job


def read(engine: Engine, broker: Mosquitto, fields: Fields, send: Callable[[], None], count: int) -> list[dict[str, Any]]:
    """What a source makes of messages."""
    with reading(engine, broker, fields) as job:
        send()
        came(job, count)
        job.stop()
        job.wait()
        return list(job.rows("out").to_pylist())


@pytest.mark.parametrize("version", ["3.1.1", "5"])
@pytest.mark.parametrize(("form", "schema", "value", "row"), [
    ("csv", "n BIGINT, s STRING", '{0},"a, {0}"', {"n": 7, "s": "a, 7"}),
    ("json", "n BIGINT, s STRING", '{{"n": {0}, "s": "ä{0}"}}', {"n": 7, "s": "ä7"}),
    ("text", None, "line {0}", {"value": "line 7"}),
    ("raw", None, "\x00{0}ÿ", {"value": b"\x007\xc3\xbf"}),
])
def test_every_message_is_a_row(engine: Engine, mosquitto: Mosquitto, topic: str, version: str, form: str, schema: str | None,
                                value: str, row: Fields) -> None:
    fields = {"schema": schema} if schema else {}
    found = read(engine, mosquitto, source(mosquitto, topic, format=form, version=version, **fields),
                 lambda: mosquitto.send(topic, [value.format(number) for number in range(COUNT)]), COUNT)
    assert len(found) == COUNT
    assert found[7] == row


def test_levels_of_topics_and_what_is_beside_the_value_become_columns(engine: Engine, mosquitto: Mosquitto, topic: str) -> None:
    metadata = {"topic": "t", "qos": "q", "retained": "kept", "duplicate": "again", "user_properties": "p", "arrived": "at"}
    topics = [f"{topic}/{{line}}/{{device}}/temperature", f"{topic}/alarms/#", f"{topic}/+/count"]

    def send() -> None:
        mosquitto.send(f"{topic}/l1/d2/temperature", ["21.5"], properties=[("a", "x"), ("a", "ä"), ("b", "")])
        mosquitto.send(f"{topic}/alarms/l1/d2", ["1"], qos=0, version="3.1.1")
        mosquitto.send(f"{topic}/l7/count", ["2"], qos=1)
        mosquitto.send(f"{topic}/l1/d2/humidity", ["3"])
        mosquitto.send(f"{topic}/l1/d3/temperature", ["4"])

    found = read(engine, mosquitto, source(mosquitto, *topics, format="csv", schema="x DOUBLE", metadata=metadata), send, 4)
    assert all(row.pop("at").year >= 2020 for row in found)
    beside = {"q": 1, "kept": False, "again": False, "p": [], "line": None, "device": None}
    pairs = [{"key": key, "value": value} for key, value in (("a", b"x"), ("a", "ä".encode()), ("b", b""))]
    assert found == [
        {**beside, "x": 21.5, "t": f"{topic}/l1/d2/temperature", "p": pairs, "line": "l1", "device": "d2"},
        {**beside, "x": 1.0, "t": f"{topic}/alarms/l1/d2", "q": 0},
        {**beside, "x": 2.0, "t": f"{topic}/l7/count"},
        {**beside, "x": 4.0, "t": f"{topic}/l1/d3/temperature", "line": "l1", "device": "d3"}]


@pytest.mark.parametrize("version", ["3.1.1", "5"])
def test_what_was_retained_is_marked(engine: Engine, mosquitto: Mosquitto, topic: str, version: str) -> None:
    mosquitto.send(topic, ["old"], retain=True)
    fields = source(mosquitto, topic, version=version, metadata={"retained": "kept"})
    found = read(engine, mosquitto, fields, lambda: mosquitto.send(topic, ["new"], retain=True), 2)
    assert found == [{"value": "old", "kept": True}, {"value": "new", "kept": False}]


@pytest.mark.connector("mqtt", "large")
def test_payloads_of_any_size(engine: Engine, mosquitto: Mosquitto, topic: str) -> None:
    sizes = [0, 1, 100_000, 15_000_000]
    found = read(engine, mosquitto, source(mosquitto, topic, format="raw", max_record_bytes=16_000_000),
                 lambda: mosquitto.send(topic, [b"x" * size for size in sizes]), len(sizes))
    assert [len(row["value"]) for row in found] == sizes


@pytest.mark.parametrize("on_error", ["skip", "dead_letter"])
@pytest.mark.connector("mqtt", "bad")
def test_a_bad_message_is_told_once_and_does_not_come_again(engine: Engine, mosquitto: Mosquitto, topic: str,
                                                            on_error: str) -> None:
    fields = source(mosquitto, topic, format="json", schema="n BIGINT", client_id=topic, max_record_bytes=100,
                    on_error={"type": on_error})
    graph = chain(("in", fields), ("out", COLLECTED))
    if on_error == "dead_letter":
        graph["operators"]["bad"] = COLLECTED
        graph["links"].append({"from": "in.errors", "to": "bad"})
    bad: list[str | bytes] = ["no json", "", "x" * 101, "y" * 1_000_000, b"\xff"]
    for turn in range(2):
        with Graph.from_dict(graph).start(engine, RunOptions()) as job:
            if turn == 0:
                mosquitto.awaits(topic)
                mosquitto.send(topic, ['{"n": 1}', *bad])
            mosquitto.send(topic, [f'{{"n": {turn + 2}}}'])
            came(job, 2 - turn)
            job.stop()
            status = job.wait()
            assert [row["n"] for row in job.rows("out").to_pylist()] == ([1, 2], [3])[turn]
            assert status.operators["in"]["errors"] == (len(bad), 0)[turn]
            if on_error == "dead_letter" and turn == 0:
                reasons = [row["reason"] for row in job.rows("bad").to_pylist()]
                assert all(reason.startswith(f"{topic}: ") for reason in reasons)
                assert ["the record is empty" in reasons[1], "longer than max_record_bytes=100" in reasons[2],
                        "longer than max_record_bytes=100" in reasons[3]] == [True, True, True]


def both(broker: str, **fields: Any) -> list[list[tuple[str, Fields]]]:
    """A graph with a source, and one with a sink."""
    return [[("in", {"type": "mqtt_source", "broker": broker, "topics": ["t"], "format": "text", **fields}),
             ("out", {"type": "discard_sink"})],
            [("made", rows(1, "id")), ("out", {"type": "mqtt_sink", "broker": broker, "topic": "t", "format": "json", **fields})]]


@pytest.mark.connector("mqtt", "absent")
def test_a_broker_that_does_not_answer_is_told_soon(call: Call, tmp_path: Path) -> None:
    for url in (f"mqtt://127.0.0.1:{free_port()}", "mqtt://255.255.255.255"):       # nobody listens there, or no way leads there
        for operators in both(url, connect_ms=500):
            err = refused(call, tmp_path, *operators).err
            assert f"`broker` {url} cannot be reached: " in err
            assert "does it speak TLS" not in err
    for operators in both("mqtt://nowhere.invalid"):
        assert "the host of `broker` mqtt://nowhere.invalid is not known" in refused(call, tmp_path, *operators).err


def test_a_peer_that_is_no_broker_is_told_soon(call: Call, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"mqtt://127.0.0.1:{silent.getsockname()[1]}"
        for operators in both(url, connect_ms=300):
            assert f"`broker` {url} does not answer within connect_ms=300" in refused(call, tmp_path, *operators).err


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A broker that wants a password, and lets a user write to some topics."""
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "users").write_text("me:right\n")
    passwords = shutil.which("mosquitto_passwd")
    if passwords is None:
        pytest.skip("no mosquitto_passwd")
    subprocess.run([passwords, "-U", str(folder / "users")], check=True)
    (folder / "acl").write_text("user me\ntopic readwrite mine/#\n")
    with Mosquitto(folder, "allow_anonymous false", f"password_file {folder}/users", f"acl_file {folder}/acl") as broker:
        yield broker


@pytest.mark.parametrize("version", ["3.1.1", "5"])
@pytest.mark.connector("mqtt", "refused")
def test_a_login_by_file(call: Call, guarded: Mosquitto, tmp_path: Path, version: str) -> None:
    (tmp_path / "right").write_text("right\n")
    (tmp_path / "wrong").write_text("wrong secret\n")
    login = {"user": "me", "password_file": str(tmp_path / "right"), "version": version}
    out = sink(guarded, topic="mine/t", **login)
    sent = call("run", write(tmp_path / "g.json", chain(("made", rows(1, "id")), ("out", out))))
    assert sent.code == 0, sent.err
    login["password_file"] = str(tmp_path / "wrong")
    for operators in both(guarded.url, **login):
        ended = refused(call, tmp_path, *operators)
        assert f"`broker` {guarded.url} refuses the login of `user` me" in ended.err
        assert "wrong secret" not in ended.err
    for operators in both(guarded.url, version=version):
        assert f"`broker` {guarded.url} refuses the login: it wants a `user`" in refused(call, tmp_path, *operators).err


@pytest.mark.connector("mqtt", "missing")
def test_a_topic_that_may_not_be_written_goes_to_on_error(call: Call, guarded: Mosquitto, tmp_path: Path) -> None:
    (tmp_path / "right").write_text("right")
    out = sink(guarded, topic_by="IF(id = 3, 'theirs', 'mine/t')", user="me", password_file=str(tmp_path / "right"))
    made = ("made", rows(10, "id"))
    told = f"`broker` {guarded.url} does not take the message for topic `theirs`: not authorized"
    assert told in refused(call, tmp_path, made, ("out", out)).err
    skipped = call("run", write(tmp_path / "g.json", chain(made, ("out", {**out, "on_error": {"type": "skip"}}))))
    assert skipped.code == 0, skipped.err
    assert f"1 skipped, the first: {told}" in skipped.err


@pytest.mark.connector("mqtt", "missing")
def test_a_topic_that_may_not_be_read_is_told(call: Call, tmp_path: Path) -> None:
    if DYNAMIC_SECURITY is None or shutil.which("mosquitto_ctrl") is None:
        pytest.skip("no plugin of mosquitto that refuses subscriptions")
    config = tmp_path / "broker" / "security.json"
    config.parent.mkdir()
    subprocess.run(["mosquitto_ctrl", "dynsec", "init", str(config), "me", "right"], check=True, stdout=subprocess.DEVNULL)
    users = json.loads(config.read_text())
    users["clients"][0]["roles"] = []
    config.write_text(json.dumps(users))
    (tmp_path / "right").write_text("right")
    more = ("allow_anonymous false", f"plugin {DYNAMIC_SECURITY}", f"plugin_opt_config_file {config}")
    with Mosquitto(config.parent, *more) as broker:
        for version, reason in (("5", "not authorized"), ("3.1.1", "it gives no reason")):
            fields = source(broker, "theirs/#", user="me", password_file=str(tmp_path / "right"), version=version)
            ended = refused(call, tmp_path, ("in", fields), ("out", {"type": "discard_sink"}))
            assert f"`broker` {broker.url} does not let `user` me read `theirs/#` of `topics`: {reason}" in ended.err


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A broker with TLS, and its certificate in ``certificate.pem``."""
    folder = tmp_path_factory.mktemp("secure")
    certificate(folder)
    certificate(folder, "other_")
    with Mosquitto(folder, "allow_anonymous true", f"certfile {folder}/certificate.pem", f"keyfile {folder}/key.pem",
                   scheme="mqtts") as broker:
        yield broker


@pytest.mark.connector("mqtt", "refused")
def test_tls_believes_whom_it_is_told_to(call: Call, secure: Mosquitto, mosquitto: Mosquitto, tmp_path: Path) -> None:
    made = ("made", rows(3, "id"))
    out = sink(secure, topic="t", tls={"trust": str(secure.folder / "certificate.pem")})
    ended = call("run", write(tmp_path / "g.json", chain(made, ("out", out))))
    assert ended.code == 0, ended.err
    for tls in ({"tls": {"trust": str(secure.folder / "other_certificate.pem")}}, {}):
        for operators in both(secure.url, **tls):
            ended = refused(call, tmp_path, *operators)
            assert f"no TLS with `broker` {secure.url}: " in ended.err
    named = secure.url.replace("127.0.0.1", "localhost")
    for operators in both(named, tls={"trust": str(secure.folder / "certificate.pem")}):
        assert f"no TLS with `broker` {named}: " in refused(call, tmp_path, *operators).err
    plain = secure.url.replace("mqtts", "mqtt")
    for operators in both(plain, connect_ms=300):
        err = refused(call, tmp_path, *operators).err
        assert f"`broker` {plain} " in err
        assert "does it speak TLS at this port?" in err
    for operators in both(mosquitto.url.replace("mqtt", "mqtts"), connect_ms=300):
        assert "; does it speak TLS at this port?" in refused(call, tmp_path, *operators).err


@pytest.mark.parametrize("version", ["3.1.1", "5"])
@pytest.mark.parametrize("qos", ["0", "1"])
def test_every_row_is_a_message(call: Call, mosquitto: Mosquitto, topic: str, tmp_path: Path, version: str, qos: str) -> None:
    out = sink(mosquitto, topic=f"{topic}/it's/{{device}}/x", value=["id"], version=version, qos=qos)
    graph = write(tmp_path / "g.json", chain(("made", rows(COUNT, "id", "concat('d', id % 5) AS device")), ("out", out)))
    with mosquitto.listening(f"{topic}/#") as found:
        ended = call("run", graph)
        assert ended.code == 0, ended.err
        until(lambda: len(found) >= COUNT, f"{COUNT} messages")
    assert [json.loads(message.payload)["id"] for message in found] == list(range(COUNT))
    assert [message.topic for message in found[:6]] == [f"{topic}/it's/d{number % 5}/x" for number in range(6)]
    assert {message.qos for message in found} == {int(qos)}


def test_messages_have_user_properties_and_a_name_of_their_own(call: Call, mosquitto: Mosquitto, topic: str,
                                                               tmp_path: Path) -> None:
    out = sink(mosquitto, topic=topic, user_properties={"device": "concat('d', id)", "none": "CAST(NULL AS STRING)"})
    graph = write(tmp_path / "g.json", chain(("made", rows(10, "id")), ("out", out), name=topic))
    with mosquitto.listening(topic) as found:
        ended = call("run", graph, "--state", tmp_path / "state")
        assert ended.code == 0, ended.err
        until(lambda: len(found) >= 10, "10 messages")
    properties = [user_properties(message) for message in found]
    assert [each["device"] for each in properties] == [f"d{number}" for number in range(10)]
    assert all(set(each) == {"device", "despina-id"} for each in properties)
    names = [each["despina-id"].rpartition("/") for each in properties]
    assert len({name for name, _, _ in names}) == 1
    assert [int(number) for _, _, number in names] == list(range(10))


def test_what_is_retained_and_what_is_no_topic(call: Call, mosquitto: Mosquitto, topic: str, tmp_path: Path) -> None:
    select = ("id", f"CASE id WHEN 1 THEN 'a+b' WHEN 2 THEN NULL WHEN 3 THEN '' ELSE concat('{topic}/', id % 2) END AS to",
              "IF(id = 7, NULL, CAST(CAST(id AS STRING) AS BINARY)) AS bytes")
    out = sink(mosquitto, topic_by="to", value=["bytes"], format="raw", retain=True, on_error={"type": "skip"})
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(9, *select)), ("out", out))))
    assert ended.code == 0, ended.err
    assert "3 skipped" in ended.err
    with mosquitto.listening(f"{topic}/#") as found:
        until(lambda: found, "what was retained")
        mosquitto.send(f"{topic}/0", ["last"])
        until(lambda: found[-1].payload == b"last", "the last message")
    assert [(message.topic, message.payload, message.retain) for message in found[:-1]] == [(f"{topic}/0", b"8", True)]


@pytest.mark.connector("mqtt", "rescaled")
def test_instances_share_a_subscription(engine: Engine, mosquitto: Mosquitto, topic: str) -> None:
    fields = source(mosquitto, f"{topic}/#", format="csv", schema="n BIGINT", group=topic, parallelism=2)
    with Graph.from_dict(chain(("in", fields), ("out", COLLECTED))).start(engine, RunOptions()) as job:
        log = mosquitto.log
        until(lambda: log.read_text().count(f"$share/{topic}/{topic}/#") == 2, "two subscriptions")
        mosquitto.send(f"{topic}/a", [str(number) for number in range(COUNT)])
        came(job, COUNT)
        job.stop()
        job.wait()
        assert sorted(row["n"] for row in job.rows("out").to_pylist()) == list(range(COUNT))
    graph = Graph.from_dict(chain(("in", {**fields, "parallelism": 2}), ("out", {"type": "discard_sink"})))
    assert graph.check().ok


@pytest.mark.connector("mqtt", "promise", "spark")
def test_what_it_promises_and_what_spark_lacks(call: Call, mosquitto: Mosquitto, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(("in", source(mosquitto, "t")), ("out", sink(mosquitto, topic="t"))))
    told = call("check", graph, "--guarantee", "--json")
    assert told.code == 0, told.err
    promises = json.loads(told.out)["guarantee"] if "guarantee" in json.loads(told.out) else json.loads(told.out)
    assert "spooled" in json.dumps(promises)
    assert "at_least_once" in json.dumps(promises)
    spark = call("check", graph, "--for", "spark")
    assert spark.code == 2
    assert "Spark has no source for MQTT" in spark.err
    assert "Spark has no sink for MQTT" in spark.err


@pytest.mark.connector("mqtt", "stubbed")
def test_a_case_stubs_both(call: Call, mosquitto: Mosquitto, tmp_path: Path) -> None:
    write(tmp_path / "g.graph.json", chain(("in", source(mosquitto, "t/{d}", format="json", schema="n BIGINT")),
                                           ("twice", {"type": "project", "select": ["2 * n AS n", "d"]}),
                                           ("out", sink(mosquitto, topic="t/{d}"))))
    case: Fields = {"name": "doubled", "inputs": {"in": [{"n": 1, "d": "x"}]}, "expect": {"out": [{"n": 2, "d": "x"}]}}
    ended = call("test", write(tmp_path / "g.test.json", {"graph": "g.graph.json", "cases": [case]}))
    assert ended.code == 0, ended.err
