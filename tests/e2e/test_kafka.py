"""``kafka_source`` and ``kafka_sink`` with a broker: what is read and written, and what is said where something is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.conftest import Call
from e2e.runs import Read, refused
from support.graphs import Fields, chain, rows, write
from support.kafka import Broker, sink, source
from support.processes import ROOT, free_port
from support.written import written_rows

COUNT = 300


@pytest.mark.parametrize(("form", "schema", "value", "row"), [
    ("csv", "n BIGINT, s STRING", '{0},"a, {0}"', {"n": 7, "s": "a, 7"}),
    ("json", "n BIGINT, s STRING", '{{"n": {0}, "s": "ä{0}"}}', {"n": 7, "s": "ä7"}),
    ("text", None, "line {0}", {"value": "line 7"}),
    ("raw", None, "\x00{0}\xff", {"value": "ADfDvw=="}),
])
def test_every_record_is_a_row(call: Call, kafka: Broker, topic: str, tmp_path: Path, form: str, schema: str | None, value: str,
                               row: Fields) -> None:
    kafka.topic(topic)
    kafka.send(topic, [value.format(number) for number in range(COUNT)])
    fields = {"schema": schema} if schema else {}
    read = Read(call, tmp_path, source(kafka, topic, format=form, **fields))
    assert read.ended.code == 0, read.ended.err
    assert len(read.rows) == COUNT
    assert read.rows[7] == row


def test_what_is_beside_the_value_becomes_columns(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    kafka.topic(topic, 2)
    kafka.send(topic, ['{"n": 1}'], partition=1, key="k", headers=[("a", b"x"), ("a", None)])
    kafka.send(topic, [None], partition=1, key="gone")
    metadata = {"key": "k", "topic": "t", "partition": "p", "offset": "o", "headers": "h", "tombstone": "dead"}
    read = Read(call, tmp_path, source(kafka, topic, format="json", schema="n BIGINT", metadata=metadata))
    assert read.rows == [
        {"n": 1, "t": topic, "k": "aw==", "p": 1, "o": 0, "h": [{"key": "a", "value": "eA=="}, {"key": "a"}], "dead": False},
        {"t": topic, "k": "Z29uZQ==", "p": 1, "o": 1, "h": [], "dead": True}], read.ended.err


def test_partitions_of_two_topics_are_dealt_to_two_instances(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    topics = [kafka.topic(f"{topic}_{name}", 3) for name in "ab"]
    for name in topics:
        for partition in range(3):
            kafka.send(name, [f"{number}" for number in range(COUNT)], partition=partition)
    read = Read(call, tmp_path, source(kafka, *topics, format="csv", schema="n BIGINT", parallelism=2,
                                       metadata={"topic": "t", "partition": "p"}))
    found: dict[tuple[str, int], list[int]] = {}
    for row in read.rows:
        found.setdefault((row["t"], row["p"]), []).append(row["n"])
    assert found == {(name, partition): list(range(COUNT)) for name in topics for partition in range(3)}


def test_more_instances_than_partitions_have_nothing_to_do(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    kafka.topic(topic)
    kafka.send(topic, ["1", "2"])
    assert len(Read(call, tmp_path, source(kafka, topic, format="csv", schema="n BIGINT", parallelism=3)).rows) == 2


def test_where_it_starts(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    kafka.topic(topic)
    kafka.send(topic, ["1", "2", "3"])
    times = [message.timestamp()[1] for message in kafka.read(topic)]
    assert times[0] > 0
    fields: Fields = {"format": "csv", "schema": "n BIGINT"}
    assert Read(call, tmp_path, source(kafka, topic, start={"type": "latest"}, **fields)).rows == []
    for at, count in (("2020-01-01T00:00:00Z", 3), ("2099-01-01T00:00:00+01:00", 0)):
        assert len(Read(call, tmp_path, source(kafka, topic, start={"type": "timestamp", "at": at}, **fields)).rows) == count


def test_what_was_not_committed_is_not_read(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    from confluent_kafka import Producer

    kafka.topic(topic)
    for value, commits in (("1", True), ("2", False), ("3", True)):
        producer = Producer(kafka.settings(transactional_id=topic))
        producer.init_transactions()
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(30)
        (producer.commit_transaction if commits else producer.abort_transaction)()
    assert [row["n"] for row in Read(call, tmp_path, source(kafka, topic, format="csv", schema="n BIGINT")).rows] == [1, 3]


@pytest.mark.connector("kafka", "bad")
def test_bad_records_have_their_place(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    kafka.topic(topic)
    kafka.send(topic, ['{"n": 1}', "no json", "", None, b'{"n": \xff}', '{"n": 2}'])
    fields = source(kafka, topic, format="json", schema="n BIGINT", on_error={"type": "dead_letter"})
    graph = chain(("in", fields), ("out", {"type": "discard_sink"}))
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "in.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    reasons = [row["reason"] for row in written_rows(tmp_path / "bad")]
    assert [reason.partition(":")[0] for reason in reasons] == [f"{topic}/0@{offset}" for offset in (1, 2, 3, 4)]
    assert "the record is empty" in reasons[1]
    assert "the record has no value" in reasons[2]


@pytest.mark.connector("kafka", "missing")
def test_a_topic_that_is_not_there_is_told_at_once(call: Call, kafka: Broker, tmp_path: Path) -> None:
    ended = refused(call, tmp_path, ("in", source(kafka, "nowhere", format="text")), ("out", {"type": "discard_sink"}))
    assert f"Kafka at {kafka.servers} has no topic `nowhere`" in ended.err
    ended = refused(call, tmp_path, ("made", rows(1, "id")), ("out", sink(kafka, topic="nowhere")))
    assert f"Kafka at {kafka.servers} has no topic `nowhere`" in ended.err


@pytest.mark.connector("kafka", "absent")
def test_a_broker_that_does_not_answer_is_told_soon(call: Call, tmp_path: Path) -> None:
    away: Fields = {"bootstrap_servers": f"127.0.0.1:{free_port()}", "connect_ms": 500}
    source: Fields = {"type": "kafka_source", "topics": ["t"], "format": "text", **away}
    sink: Fields = {"type": "kafka_sink", "topic": "t", "format": "json", **away}
    for operators in ([("in", source), ("out", {"type": "discard_sink"})], [("made", rows(1, "id")), ("out", sink)]):
        ended = refused(call, tmp_path, *operators)
        assert f"no broker at {away['bootstrap_servers']} has answered for connect_ms=500" in ended.err


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that wants a password."""
    users = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_me="right";'
    settings = {"sasl.enabled.mechanisms": "PLAIN", "listener.name.sasl_plaintext.plain.sasl.jaas.config": users,
                "inter.broker.listener.name": "SASL_PLAINTEXT", "sasl.mechanism.inter.broker.protocol": "PLAIN",
                "sasl.jaas.config": users.replace("required", 'required username="me" password="right"')}
    with Broker(tmp_path_factory.mktemp("guarded"), settings, "SASL_PLAINTEXT") as broker:
        yield broker


@pytest.mark.connector("kafka", "refused")
def test_a_login_by_file_or_environment(call: Call, guarded: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guarded.login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "me",
                     "sasl.password": "right"}
    guarded.topic("logins")
    guarded.send("logins", ["1"])
    (tmp_path / "right").write_text("right\n")
    (tmp_path / "wrong").write_text("wrong secret\n")
    fields: Fields = {"format": "csv", "schema": "n BIGINT"}
    sasl = {"mechanism": "plain", "user": "me", "password_file": str(tmp_path / "right")}
    assert Read(call, tmp_path, source(guarded, "logins", sasl=sasl, **fields)).rows == [{"n": 1}]
    sasl["password_file"] = str(tmp_path / "wrong")
    ended = refused(call, tmp_path, ("in", source(guarded, "logins", sasl=sasl, **fields)), ("out", {"type": "discard_sink"}))
    assert f"the brokers at {guarded.servers} refuse the login" in ended.err
    assert "wrong secret" not in ended.err


def test_every_row_is_a_record(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    kafka.topic(topic, 3)
    select = ("id", "concat('d', id % 5) AS device", "IF(id = 1, NULL, 'h') AS h")
    out = sink(kafka, topic=topic, key="device", value=["id"], headers={"head": "h", "of": "'x'"})
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(COUNT, *select)), ("out", out))))
    assert ended.code == 0, ended.err
    found = kafka.read(topic)
    assert sorted(json.loads(message.value())["id"] for message in found) == list(range(COUNT))
    where: dict[bytes, set[int]] = {}
    for message in found:
        number = json.loads(message.value())["id"]
        assert message.key() == b"d%d" % (number % 5)
        assert message.headers() == [("head", None if number == 1 else b"h"), ("of", b"x")]
        where.setdefault(message.key(), set()).add(message.partition())
    assert all(len(partitions) == 1 for partitions in where.values())


def test_each_row_says_its_topic_and_a_null_of_raw_is_a_tombstone(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    for name in "ab":
        kafka.topic(f"{topic}_{name}")
    select = ("id", f"IF(id = 9, NULL, concat('{topic}_', IF(id % 2 = 0, 'a', 'b'))) AS where",
              "IF(id = 2, NULL, CAST(CAST(id AS STRING) AS BINARY)) AS bytes")
    out = sink(kafka, topic_by="where", key="CAST(id AS STRING)", value=["bytes"], format="raw", on_error={"type": "skip"})
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(10, *select)), ("out", out))))
    assert ended.code == 0, ended.err
    assert [message.value() for message in kafka.read(f"{topic}_a")] == [b"0", None, b"4", b"6", b"8"]
    assert [message.value() for message in kafka.read(f"{topic}_b")] == [b"1", b"3", b"5", b"7"]
    assert "1 skipped, the first: where the row is sent to is NULL" in ended.err


@pytest.mark.parametrize("delivery", ["by_epoch", "at_least_once"])
@pytest.mark.connector("kafka", "large")
def test_a_record_that_is_too_large_is_a_bad_one(call: Call, kafka: Broker, topic: str, tmp_path: Path, delivery: str) -> None:
    kafka.topic(topic, max_message_bytes="2000")
    select = ("id", "repeat('x', IF(id IN (3, 5), 5000, 10)) AS s")
    out = sink(kafka, topic=topic, delivery=delivery, on_error={"type": "skip"}, value=["id", "s"])
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(10, *select)), ("out", out), name=topic)), "--state",
                 tmp_path / "state")
    assert ended.code == 0, ended.err
    assert [json.loads(message.value())["id"] for message in kafka.read(topic)] == [0, 1, 2, 4, 6, 7, 8, 9]


@pytest.mark.connector("kafka", "large")
def test_a_record_of_15_mb_passes_and_one_of_17_is_bad(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    kafka.topic(topic, max_message_bytes="20000000")
    kafka.send(topic, ["a" * 15_000_000, "b" * 17_000_000, "c"], message_max_bytes=20_000_000)
    read = Read(call, tmp_path, source(kafka, topic, format="text", max_record_bytes=20_000_000, on_error={"type": "skip"}))
    assert [len(row["value"]) for row in read.rows] == [15_000_000, 1], read.ended.err


def test_a_bad_record_that_fails_the_job_leaves_its_epoch_out(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    kafka.topic(topic, max_message_bytes="2000")
    out = sink(kafka, topic=topic)
    graph = write(tmp_path / "g.json", chain(("made", rows(10, "id", "repeat('x', IF(id = 3, 5000, 10)) AS s")), ("out", out),
                                             name=topic))
    for _ in range(2):      # the second goes on with the epoch that the first could not write
        ended = call("run", graph, "--state", tmp_path / "state")
        assert ended.code != 0
        assert f"Kafka does not take the record for topic `{topic}`" in ended.err
    assert kafka.read(topic) == []


def test_good_records_around_bad_ones_are_written(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    count, each = 20_000, 4_000
    kafka.topic(topic, 2, max_message_bytes="20000")
    select = ("id", f"repeat('x', IF(id % {each} = 3, 30000, 10)) AS s")
    out = sink(kafka, topic=topic, on_error={"type": "skip"})
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(count, *select)), ("out", out), name=topic)), "--state",
                 tmp_path / "state")
    assert ended.code == 0, ended.err
    good = [number for number in range(count) if number % each != 3]
    assert sorted(json.loads(message.value())["id"] for message in kafka.read(topic)) == good


@pytest.mark.parametrize("delivery", ["by_epoch", "at_least_once"])
@pytest.mark.connector("kafka", "bad")
def test_a_row_without_a_key_for_a_compacted_topic_is_a_bad_one(call: Call, kafka: Broker, topic: str, tmp_path: Path,
                                                               delivery: str) -> None:
    kafka.topic(topic, cleanup_policy="compact")
    select = ("id", "IF(id IN (3, 5), NULL, concat('k', id)) AS k")
    out = sink(kafka, topic=topic, key="k", delivery=delivery, on_error={"type": "skip"}, value=["id"])
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(COUNT, *select)), ("out", out), name=topic)), "--state",
                 tmp_path / "state")
    assert ended.code == 0, ended.err
    good = [number for number in range(COUNT) if number not in (3, 5)]
    assert sorted(json.loads(message.value())["id"] for message in kafka.read(topic)) == good
    assert delivery == "by_epoch" or "2 skipped" in ended.err


@pytest.mark.parametrize("delivery", ["by_epoch", "at_least_once"])
@pytest.mark.connector("kafka", "missing")
def test_a_row_for_a_topic_that_is_not_there_is_a_bad_one(call: Call, kafka: Broker, topic: str, tmp_path: Path,
                                                         delivery: str) -> None:
    kafka.topic(topic)
    select = ("id", f"IF(id = 3, 'nowhere', IF(id = 5, 'no name', '{topic}')) AS where")
    out = sink(kafka, topic_by="where", delivery=delivery, on_error={"type": "skip"}, value=["id"])
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(10, *select)), ("out", out), name=topic)), "--state",
                 tmp_path / "state")
    assert ended.code == 0, ended.err
    assert [json.loads(message.value())["id"] for message in kafka.read(topic)] == [0, 1, 2, 4, 6, 7, 8, 9]
    told = "2 skipped, the first: Kafka does not take the record for topic `nowhere`: there is no such topic"
    assert delivery == "by_epoch" or told in ended.err


@pytest.mark.connector("kafka", "leftovers")
def test_an_epoch_is_a_transaction_with_its_marker(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    kafka.topic(topic, 2)
    markers = f"{topic}_markers"
    out = sink(kafka, topic=topic, markers=markers)
    graph = write(tmp_path / "g.json", chain(("made", rows(COUNT, "id")), ("out", out), name=topic))
    ended = call("run", graph, "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    for isolation in ("read_committed", "read_uncommitted"):
        assert sorted(json.loads(message.value())["id"] for message in kafka.read(topic, isolation)) == list(range(COUNT))
    assert len({message.key() for message in kafka.read(markers)}) == 1
    given_up(call, kafka, markers, graph, tmp_path / "state")


def given_up(call: Call, kafka: Broker, markers: str, graph: Path, state: Path) -> None:
    """What a job has left is found by the names in its state folder, and removed."""
    from confluent_kafka import KafkaException, Producer

    outbox = kafka.read(markers)[-1].key().decode()
    assert f"out 0: outbox {outbox} at its server" in call("state", "ls", state).out
    found = call("state", "servers", state, graph)
    assert (found.code, found.err) == (0, "")
    assert re.fullmatch(rf"out: in topic {markers} the marker of {outbox} \(epoch \d+\) at \S+\n", found.out), found.out
    under_way = Producer(kafka.settings(transactional_id=f"despina-{outbox}"))
    under_way.init_transactions(30)
    under_way.begin_transaction()
    under_way.produce(markers, "1", key="another")
    under_way.flush(30)
    removed = call("state", "servers", state, graph, "--remove")
    assert removed.code == 0, removed.err
    with pytest.raises(KafkaException, match="fenced"):
        under_way.commit_transaction(30)
    assert removed.out.startswith(f"out: removed: in topic {markers} the marker of {outbox}")
    assert kafka.read(markers)[-1].value() is None
    assert f"no marker in topic {markers}" in call("state", "servers", state, graph).out


def test_the_group_is_told_of_complete_epochs(call: Call, kafka: Broker, topic: str, tmp_path: Path) -> None:
    from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
    from confluent_kafka.admin import AdminClient

    kafka.topic(topic)
    kafka.send(topic, [str(number) for number in range(COUNT)])
    graph = write(tmp_path / "g.json", chain(("in", source(kafka, topic, format="text", group=topic)),
                                             ("out", {"type": "discard_sink"}), name=topic))
    ended = call("run", graph, "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    asked = ConsumerGroupTopicPartitions(topic, [TopicPartition(topic, 0)])
    admin = AdminClient(kafka.settings())
    told = admin.list_consumer_group_offsets([asked])[topic].result(30)
    assert told.topic_partitions[0].offset == COUNT


@pytest.mark.connector("kafka", "promise", "spark")
def test_what_it_promises_and_what_spark_has_instead(call: Call, kafka: Broker, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(("in", source(kafka, "t", format="text")), ("out", sink(kafka, topic="t"))))
    told = call("check", graph, "--guarantee")
    assert told.code == 0, told.err
    assert "exactly once" in told.out + told.err
    spark = call("check", graph, "--for", "spark")
    assert spark.code == 2
    assert "Spark has a source of its own for it, `kafka`" in spark.err


@pytest.mark.connector("kafka", "stubbed")
def test_a_case_stubs_both(call: Call, kafka: Broker, tmp_path: Path) -> None:
    twice: Fields = {"type": "project", "select": ["2 * n AS n"]}
    write(tmp_path / "g.graph.json", chain(("in", source(kafka, "t", format="json", schema="n BIGINT")), ("twice", twice),
                                           ("out", sink(kafka, topic="t"))))
    case: Fields = {"name": "doubled", "inputs": {"in": [{"n": 1}]}, "expect": {"out": [{"n": 2}]}}
    test = write(tmp_path / "g.test.json", {"graph": "g.graph.json", "cases": [case]})
    ended = call("test", test)
    assert ended.code == 0, ended.err


def test_the_graph_of_the_page(call: Call, kafka: Broker, tmp_path: Path) -> None:
    block = re.search(r"```json\n(\{.*?)```", (ROOT / "docs" / "kafka.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    graph = json.loads(block[1])
    graph["operators"]["readings"]["stop_at"] = "end"
    for topic in ("readings", "counted"):
        kafka.topic(topic)
    reading = '{{"ts": "2026-11-28T18:0{0}:30Z", "device": "a", "celsius": {0}}}'
    kafka.send("readings", [reading.format(minute) for minute in range(3)])
    ended = call("run", write(tmp_path / "g.json", graph), "--set", f"servers={kafka.servers}", "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    assert [json.loads(value) for value in kafka.values("counted")] == [
        {"device": "a", "minute": f"2026-11-28T18:0{minute}:00.000Z", "n": 1, "mean": float(minute)} for minute in range(3)]
