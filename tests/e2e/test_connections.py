"""``despina check --connect``: what operators connect to is tried, with real servers, and nothing is changed there."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from despina.engine import Engine
from despina.graph import Graph
from e2e.conftest import Call
from support import kafka as brokers
from support import mqtt, postgres
from support.databases import DRIVER, Database, driver_jar
from support.graphs import Fields, chain, rows, write
from support.kafka import Broker
from support.mqtt import DYNAMIC_SECURITY, Mosquitto
from support.postgres import Postgres
from support.processes import free_port, until

ROWS = rows(1, "id", "concat('d', CAST(id AS STRING)) AS device")
DISCARDED: Fields = {"type": "discard_sink"}
USERS = ('org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="right" '
         'user_me="right" user_guest="guest";')


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that wants a login, and lets only `me` do anything that is not allowed."""
    broker = Broker(tmp_path_factory.mktemp("guarded"), {
        "sasl.enabled.mechanisms": "PLAIN", "listener.name.sasl_plaintext.plain.sasl.jaas.config": USERS,
        "inter.broker.listener.name": "SASL_PLAINTEXT", "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "sasl.jaas.config": USERS, "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:me;User:ANONYMOUS"}, "SASL_PLAINTEXT")
    broker.login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "me",
                    "sasl.password": "right"}
    with broker:
        yield broker


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres.running() as started:
        yield started


def reading(fields: Fields) -> Fields:
    return chain(("in", fields), ("out", DISCARDED))


def writing(fields: Fields) -> Fields:
    return chain(("rows", ROWS), ("out", fields))


def tried(call: Call, folder: Path, graph: Fields, *more: str | Path) -> tuple[int, str, str]:
    """What is said of the graph's only connection: the exit code, standard output, and errors."""
    write(folder / "g.json", graph)
    ended = call("check", "g.json", "--connect", *more)
    return ended.code, ended.out, ended.err


@pytest.mark.connector("kafka", "tried")
def test_topics_of_kafka_are_looked_at_and_nothing_is_made(call: Call, kafka: Broker, tmp_path: Path) -> None:
    kafka.topic("doors", 3)
    code, out, err = tried(call, tmp_path, reading(brokers.source(kafka, "doors", format="text", group="watched")))
    assert (code, err) == (0, "")
    assert f"in: ok, topic doors (3 partitions) at {kafka.servers}" in out
    code, out, _ = tried(call, tmp_path, writing(brokers.sink(kafka, topic="doors", markers="door_markers")))
    assert code == 0
    assert "topic door_markers for markers is made by a job with a state" in out
    code, _, err = tried(call, tmp_path, reading(brokers.source(kafka, "doors", "missing", format="text")))
    assert code == 1
    assert re.search(r"g\.json:\d+:\d+: error\[connection\]: Kafka at .* has no topic `missing` of `topics`: it must be there .*"
                     r"\(at /operators/in/topics, operator in\)", err)
    from confluent_kafka.admin import AdminClient
    admin = AdminClient(kafka.settings())
    assert "door_markers" not in admin.list_topics(timeout=10).topics
    assert "watched" not in {group.group_id for group in admin.list_consumer_groups().result().valid}


@pytest.mark.connector("kafka", "tried", "refused", "missing")
def test_logins_and_rights_of_kafka_are_tried(call: Call, guarded: Broker, tmp_path: Path) -> None:
    from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, AdminClient, ResourcePatternType, ResourceType
    guarded.topic("secrets")
    allowed = AclBinding(ResourceType.TOPIC, "secrets", ResourcePatternType.LITERAL, "User:guest", "*", AclOperation.READ,
                         AclPermissionType.ALLOW)
    admin = AdminClient(guarded.settings())
    admin.create_acls([allowed])[allowed].result(30)
    (tmp_path / "guest").write_text("guest\n")
    sasl: Fields = {"mechanism": "plain", "user": "guest", "password_file": str(tmp_path / "guest")}
    assert tried(call, tmp_path, reading(brokers.source(guarded, "secrets", format="text", sasl=sasl)))[0] == 0
    code, _, err = tried(call, tmp_path, writing(brokers.sink(guarded, topic="secrets", delivery="at_least_once", sasl=sasl)))
    assert code == 1
    assert "do not allow WRITE of topic `secrets` of `topic`" in err
    (tmp_path / "guest").write_text("wrong")
    code, _, err = tried(call, tmp_path, reading(brokers.source(guarded, "secrets", format="text", sasl=sasl)))
    assert code == 1
    assert "refuse the login" in err
    assert "wrong" not in err


@pytest.mark.connector("mqtt", "tried")
def test_a_broker_of_mqtt_is_asked_and_no_session_is_left(call: Call, mosquitto: Mosquitto, tmp_path: Path) -> None:
    mosquitto.send("doors/a", ["kept"], retain=True)
    for version in ("3.1.1", "5"):
        fields = mqtt.source(mosquitto, "doors/{name}", version=version, client_id="mine", group="shared")
        code, out, err = tried(call, tmp_path, reading(fields))
        assert (code, err) == (0, "")
        assert f"in: ok, topic doors/{{name}} at {mosquitto.url}" in out
    code, out, _ = tried(call, tmp_path, writing(mqtt.sink(mosquitto, topic="doors/b", retain=True)))
    assert code == 0
    assert "out: ok, the broker takes the login" in out
    with mosquitto.listening("doors/#") as found:
        mosquitto.send("doors/end", ["."])
        until(lambda: any(each.topic == "doors/end" for each in found), "the last message")
    assert {each.topic for each in found} == {"doors/a", "doors/end"}


@pytest.mark.connector("mqtt", "tried", "refused")
def test_what_a_broker_of_mqtt_refuses_is_told(call: Call, tmp_path: Path) -> None:
    password = tmp_path / "users"
    password.write_text("")
    with Mosquitto(tmp_path / "guarded", "allow_anonymous false", f"password_file {password}") as broker:
        code, out, err = tried(call, tmp_path, reading(mqtt.source(broker, "t")))
    assert (code, "in: failed" in out) == (1, True)
    assert "refuses the login" in err
    assert "(at /operators/in/broker, operator in)" in err
    away = {"type": "mqtt_source", "broker": f"mqtt://127.0.0.1:{free_port()}", "topics": ["t"], "format": "text"}
    code, _, err = tried(call, tmp_path, reading(away))
    assert code == 1
    assert "cannot be reached" in err


@pytest.mark.skipif(DYNAMIC_SECURITY is None, reason="mosquitto without its plugin for rights")
@pytest.mark.connector("mqtt", "tried", "missing")
def test_a_topic_that_may_not_be_read_is_told(call: Call, tmp_path: Path) -> None:
    security = tmp_path / "security.json"
    security.write_text(json.dumps({"defaultACLAccess": {"publishClientSend": True, "publishClientReceive": True,
                                                         "subscribe": False, "unsubscribe": True}}))
    with Mosquitto(tmp_path / "b", "allow_anonymous true", f"plugin {DYNAMIC_SECURITY}",
                   f"plugin_opt_config_file {security}") as broker:
        code, _, err = tried(call, tmp_path, reading(mqtt.source(broker, "secret/#")))
    assert code == 1
    assert "read `secret/#` of `topics`: not authorized" in err


@pytest.mark.connector("jdbc", "tried")
def test_tables_of_postgresql_are_tried_and_none_is_made(call: Call, tmp_path: Path, server: Postgres) -> None:
    server.execute("CREATE SCHEMA doors; CREATE TABLE doors.readings (id BIGINT PRIMARY KEY, device TEXT);"
                   "CREATE ROLE visitor LOGIN; GRANT USAGE ON SCHEMA doors TO visitor; GRANT SELECT ON doors.readings TO visitor")
    jar = ("--jar", postgres.driver_jar())
    mine, theirs = server.connection("doors"), server.connection("doors") | {"user": "visitor"}
    source: Fields = {"type": "jdbc_source", "table": "readings", "schema": "id BIGINT, device STRING"}
    sink: Fields = {"type": "jdbc_sink", "table": "readings"}
    statement = "INSERT INTO readings VALUES (:id, :device)"
    for graph in (reading({**source, **theirs}), writing({**sink, **mine, "mode": "upsert", "keys": ["id"]}),
                  chain(("rows", ROWS), ("out", {"type": "sql", "connection": mine, "statement": statement}),
                        ("end", DISCARDED))):
        code, out, err = tried(call, tmp_path, graph, *jar)
        assert (code, err) == (0, ""), out
    wrong = [(reading({**source, **mine, "table": "reading"}), "in/table", "did you mean `readings`"),
             (reading({**source, **mine, "schema": "id BIGINT, devise STRING"}), "in/schema", "did you mean `device`"),
             (writing({**sink, **theirs}), "out/table", "GRANT SELECT, INSERT ON readings TO visitor"),
             (writing({**sink, **mine, "mode": "upsert", "keys": ["device"]}), "out/keys", "CREATE UNIQUE INDEX"),
             (chain(("rows", ROWS), ("out", {"type": "sql", "connection": theirs, "statement": statement}), ("end", DISCARDED)),
              "out/statement", "permission denied"),
             (reading({**source, **mine, "url": f"jdbc:postgresql://127.0.0.1:{free_port()}/x"}), "in/url", "refused"),
             (reading({**source, **mine, "user": "nobody_here"}), "in/url", "nobody_here")]
    for graph, place, words in wrong:
        code, _, err = tried(call, tmp_path, graph, *jar)
        assert code == 1
        assert f"(at /operators/{place}, operator" in err
        assert words in err
    server.execute("GRANT INSERT ON doors.readings TO visitor")
    code, _, err = tried(call, tmp_path, writing({**sink, **theirs}), *jar)
    assert code == 1
    assert "`epochs_table`" in err
    assert "let an administrator execute: CREATE TABLE despina_epochs" in err
    assert server.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'doors'") == [("readings",)]
    assert server.execute("SELECT count(*) FROM doors.readings") == [(0,)]


@pytest.mark.connector("jdbc", "tried")
def test_a_file_of_sqlite_that_is_not_there_stays_so(call: Call, tmp_path: Path) -> None:
    table: Fields = {"type": "jdbc", "url": f"jdbc:sqlite:{tmp_path / 'no.db'}", "driver": DRIVER, "table": "names",
                     "schema": "device STRING, room STRING"}
    fields: Fields = {"type": "lookup", "key": {"device": "device"}, "from": table}
    graph = chain(("rows", ROWS), ("found", fields), ("end", DISCARDED))
    code, _, err = tried(call, tmp_path, graph, "--jar", driver_jar())
    assert code == 1
    assert "no.db" in err
    assert not (tmp_path / "no.db").exists()
    Database(tmp_path / "no.db", "CREATE TABLE names (device TEXT, room TEXT)")
    code, out, err = tried(call, tmp_path, graph, "--jar", driver_jar())
    assert (code, err) == (0, "")
    assert "found: ok, table names" in out


class Answers(BaseHTTPRequestHandler):
    """Lets those in who know the word."""

    def do_OPTIONS(self) -> None:
        self.server.asked.append(self.command)  # type: ignore[attr-defined]
        self.send_response(204 if self.headers.get("Authorization") == "Bearer word" else 401)
        self.end_headers()

    def do_POST(self) -> None:
        self.server.asked.append(self.command)  # type: ignore[attr-defined]

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_clients_of_sockets_are_tried(call: Call, tmp_path: Path, engine: Engine) -> None:
    (tmp_path / "token").write_text("word")
    with HTTPServer(("127.0.0.1", 0), Answers) as http, socket.create_server(("127.0.0.1", 0)) as tcp:
        asked: list[str] = []
        http.asked = asked  # type: ignore[attr-defined]
        thread = Thread(target=http.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{http.server_port}/rows"
            posted: Fields = {"type": "http_sink", "url": url, "format": "json"}
            sent: Fields = {"type": "tcp_sink", "host": "127.0.0.1", "port": tcp.getsockname()[1], "format": "json"}
            code, out, _ = tried(call, tmp_path, writing({**posted, "token_file": str(tmp_path / "token")}))
            assert (code, f"out: ok, {url} answers 204 to OPTIONS" in out) == (0, True)
            code, _, err = tried(call, tmp_path, writing(posted))
            assert code == 1
            assert "answers 401: it wants a token" in err
            assert set(asked) == {"OPTIONS"}
            assert tried(call, tmp_path, writing(sent))[0] == 0
        finally:
            http.shutdown()
            thread.join()
    graph = chain(("rows", ROWS), ("out", sent))
    checked = Graph.from_dict(graph).check(engine=engine, connect=True)
    assert not checked.ok
    assert [(each.operator, each.found) for each in checked.connections] == [("out", None)]
    assert "cannot reach 127.0.0.1" in str(checked.connections[0])


def test_a_server_that_never_answers_costs_seconds_and_others_are_tried_meanwhile(call: Call, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        operators = {"k": {"type": "kafka_source", "bootstrap_servers": address, "topics": ["t"], "format": "text"},
                     "m": {"type": "mqtt_source", "broker": f"mqtt://{address}", "topics": ["t"], "format": "text"},
                     "end": DISCARDED}
        write(tmp_path / "g.json", {"format": 1, "name": "silent", "operators": operators,
                                    "links": [{"from": "k", "to": "end"}, {"from": "m", "to": "end"}]})
        ended = call("check", "g.json", "--connect", "--json")
    assert ended.code == 1
    found = json.loads(ended.out)["connections"]
    assert [each["operator"] for each in found] == ["k", "m"]
    assert "no broker at `bootstrap_servers`" in found[0]["problem"]["message"]
    assert "does not answer within" in found[1]["problem"]["message"]


@pytest.mark.parametrize("option", [["--watch"], ["--for", "spark"], ["--from", "somewhere"]])
def test_it_does_not_go_with_what_checks_otherwise(call: Call, tmp_path: Path, option: list[str]) -> None:
    write(tmp_path / "g.json", writing(DISCARDED))
    ended = call("check", "g.json", "--connect", *option)
    assert ended.code == 2
    assert "--connect is for the engine" in ended.err
