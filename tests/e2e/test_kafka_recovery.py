"""Jobs between topics of Kafka that are killed, stopped and rescaled, and brokers that are away: each row is there once."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from e2e.conftest import Start
from support.cutter import Cutter
from support.every import in_every
from support.graphs import Fields, chain, write
from support.kafka import Broker, sink, source
from support.processes import INTERRUPTED, Command, free_port, until
from support.written import written_lines

DEVICES = 4
WINDOW_MS = 1000
BATCH = 2000
"""Records of a partition that are written together."""
CUTS = (7, 40, 150, 301, 900, 1_500, 2_001, 5_003, 9_000, 20_011)
"""Bytes that clients send before their connections are cut, one after the other."""
STEP_MS = 10
"""Between the times of two records of a partition."""


def readings(batch: int, partition: int) -> list[str]:
    """Of one partition: each device has one every 40 ms."""
    numbers = range(batch * BATCH, (batch + 1) * BATCH)
    return [json.dumps({"ts": 1_600_000_000_000 + number * STEP_MS, "device": f"{partition}.{number % DEVICES}", "n": number})
            for number in numbers]


class Windows:
    """A job that counts by window from one topic to another, and what it should have counted."""

    def __init__(self, start: Start, kafka: Broker, folder: Path, name: str, partitions: int = 2) -> None:
        self._start = start
        self.kafka = kafka
        self.folder = folder
        self.name = name
        self.partitions = partitions
        self.batches = 0
        kafka.topic(f"{name}.in", partitions)
        kafka.topic(f"{name}.out", 2)

    def write(self, batches: int = 1) -> None:
        """Writes so many more to each partition."""
        for batch in range(self.batches, self.batches + batches):
            for partition in range(self.partitions):
                self.kafka.send(f"{self.name}.in", readings(batch, partition), partition=partition)
        self.batches += batches

    def graph(self, ends: bool, parallelism: int = 1, **fields: object) -> Path:
        """The graph; one that ends fires its last windows."""
        read = source(self.kafka, f"{self.name}.in", format="json", schema="ts TIMESTAMP, device STRING, n BIGINT",
                      timestamp_unit="milliseconds", parallelism=parallelism, metadata={"partition": "p", "offset": "o"},
                      event_time={"column": "ts", "order_by": ["p", "o"]}, stop_at="end" if ends else "never")
        counted: Fields = {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": WINDOW_MS},
                           "select": ["device", "window.start AS start", "count(*) AS count", "sum(n) AS total"]}
        written = sink(self.kafka, topic=f"{self.name}.out", key="device", **fields)
        graph = chain(("in", read), ("counted", counted), ("out", written), name=self.name)
        graph["links"][0]["fuse"] = False
        return write(self.folder / f"{self.name}.json", graph)

    def run(self, ends: bool = True, *options: str | Path, parallelism: int = 1) -> Command:
        """Starts it, or goes on with it."""
        return self._start("run", self.graph(ends, parallelism), "--state", self.folder / "state", "--epoch-ms", "100", *options)

    def shown(self) -> list[Fields]:
        """The rows that others see."""
        return [json.loads(message.value()) for message in self.kafka.read(f"{self.name}.out")]

    def shows(self, seen: int) -> bool:
        """Whether they see more than so many."""
        return len(self.shown()) > seen

    def is_complete(self) -> None:
        """Each window is there once, with all of its records."""
        per_window = WINDOW_MS // STEP_MS // DEVICES
        rows = self.shown()
        seen = Counter((row["device"], row["start"]) for row in rows)
        assert {key: count for key, count in seen.items() if count > 1} == {}
        assert len(seen) == self.partitions * DEVICES * self.batches * BATCH // per_window // DEVICES
        assert {row["count"] for row in rows} == {per_window}
        of_all = self.batches * BATCH
        assert sum(row["total"] for row in rows) == self.partitions * of_all * (of_all - 1) // 2


@pytest.fixture
def windows(start: Start, kafka: Broker, tmp_path: Path, request: pytest.FixtureRequest) -> Windows:
    return Windows(start, kafka, tmp_path, request.node.name.replace("[", ".").replace("]", ""))


def manifests(folder: Path) -> list[Path]:
    return sorted(folder.glob("state/*/epochs/*.manifest.json"), key=lambda each: int(each.name.partition(".")[0]))


@pytest.mark.connector("kafka", "jobs")
def test_a_killed_job_goes_on_and_each_window_is_there_once(windows: Windows, tmp_path: Path) -> None:
    windows.write(5)
    for _ in range(3):
        run = windows.run(ends=False)
        seen = len(windows.shown())
        run.until(partial(windows.shows, seen), "a row of the run")
        windows.write()
        run.kill()
    ended = windows.run().end()
    assert ended.code == 0, ended.err
    windows.is_complete()


@in_every
@pytest.mark.connector("kafka", "jobs")
def test_a_job_whose_resource_is_killed_goes_on_by_itself(windows: Windows, tmp_path: Path) -> None:
    two: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
                   "place": {"in": ["near"], "*": ["far"]}}
    windows.write(5)
    run = windows.run(False, "--deployment", write(tmp_path / "two.json", two), parallelism=2)
    run.until(lambda: windows.shown(), "a first row")
    for _ in range(2):
        seen = len(windows.shown())
        os.kill(run.jvms("ResourceMain")[0], signal.SIGKILL)
        windows.write()
        run.until(partial(windows.shows, seen), "a row behind the loss")
    run.interrupt(0, 5)
    ended = windows.run().end()
    assert ended.code == 0, ended.err
    windows.is_complete()


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """One for all tests that kill theirs: its start takes longer than what they do."""
    with Broker(tmp_path_factory.mktemp("broker")) as made:
        yield made


@pytest.fixture
def broker(mortal: Broker) -> Broker:
    """One that runs, and may be killed."""
    return mortal.start()


@pytest.mark.connector("kafka", "killed")
def test_a_broker_that_is_killed_and_comes_back_loses_nothing(start: Start, broker: Broker, tmp_path: Path) -> None:
    windows = Windows(start, broker, tmp_path, "killed")
    windows.write(3)
    run = windows.run(ends=False)
    run.until(lambda: windows.shown(), "a first row")
    windows.write()
    broker.kill()
    run.says("answers; it waits")
    broker.start()
    run.says("answer again")
    seen = len(windows.shown())
    windows.write()
    run.until(partial(windows.shows, seen), "a row behind the loss")
    run.interrupt(0, 5)
    ended = windows.run().end()
    assert ended.code == 0, ended.err
    windows.is_complete()


@dataclass
class Listener:
    """Where a broker listens for those who come by a proxy."""

    port: int
    url: str


@in_every
@pytest.mark.connector("kafka", "cut")
def test_connections_that_are_cut_at_any_byte_lose_and_double_nothing(start: Start, tmp_path: Path) -> None:
    """Clients go to the address that a broker tells, which is the proxy's here too."""
    port = free_port()
    with closing(Cutter(Listener(port, f"kafka://127.0.0.1:{port}"), *CUTS)) as cutter, \
            Broker(tmp_path / "broker", behind=(port, int(cutter.url.rpartition(":")[2]))) as broker:
        broker.topic("in")
        broker.topic("out")
        servers = cutter.url.removeprefix("kafka://")
        graph = chain(("in", source(broker, "in", bootstrap_servers=servers, format="csv", schema="n BIGINT", stop_at="never")),
                      ("out", sink(broker, bootstrap_servers=servers, topic="out", format="csv")), name="cut")
        run = start("run", write(tmp_path / "g.json", graph), "--state", tmp_path / "state", "--epoch-ms", "100")
        sent = 0
        while len(cutter.sent) <= len(CUTS):
            broker.send("in", [str(number) for number in range(sent, sent + BATCH)])
            sent += BATCH
            run.until(lambda sent=sent: len(broker.read("out")) >= sent, "every number")  # type: ignore[misc]
        run.interrupt(0)
        assert [int(value) for value in broker.values("out")] == list(range(sent))


@pytest.mark.connector("kafka", "absent")
def test_a_job_waits_at_its_start_for_a_broker(start: Start, broker: Broker, tmp_path: Path) -> None:
    windows = Windows(start, broker, tmp_path, "absent")
    windows.write()
    broker.kill()
    run = windows.run()
    run.says("running")
    broker.start()
    ended = run.end()
    assert ended.code == 0, ended.err
    windows.is_complete()


@in_every
def test_a_stop_while_the_job_waits_for_a_broker_ends_it(start: Start, broker: Broker, tmp_path: Path) -> None:
    windows = Windows(start, broker, tmp_path, "stopped")
    broker.kill()
    run = windows.run(ends=False)
    run.says("running")
    run.interrupt()


@pytest.mark.parametrize("stop", ["drain", pytest.param("flush", marks=in_every)])
@pytest.mark.connector("kafka", "phases")
def test_a_stopped_job_goes_on(windows: Windows, stop: str, tmp_path: Path) -> None:
    windows.write(3)
    run = windows.run(False, "--on-stop", stop)
    run.until(lambda: windows.shown(), "a first row")
    run.signal(signal.SIGINT)
    stopped = run.end()
    if stop == "flush":
        seen = Counter((row["device"], row["start"]) for row in windows.shown())
        assert max(seen.values()) == 1
        return      # the windows that were open have been shown, with what was there
    assert stopped.code in (0, 5, INTERRUPTED), stopped.err
    windows.write()
    ended = windows.run().end()
    assert ended.code == 0, ended.err
    windows.is_complete()


@in_every
@pytest.mark.connector("kafka", "rescaled")
def test_it_goes_on_at_another_parallelism(windows: Windows, tmp_path: Path) -> None:
    for parallelism in (2, 1, 3):
        windows.write(2)
        run = windows.run(False, parallelism=parallelism)
        seen = len(windows.shown())
        run.until(partial(windows.shows, seen), f"rows at parallelism {parallelism}")
        run.interrupt(0, 5)
    ended = windows.run(parallelism=2).end()
    assert ended.code == 0, ended.err
    windows.is_complete()


@pytest.mark.parametrize("on_gap", ["fail", pytest.param("skip", marks=in_every)])
@pytest.mark.connector("kafka", "gone")
def test_what_the_topic_no_longer_has_is_told_with_both_numbers(start: Start, kafka: Broker, tmp_path: Path, on_gap: str) -> None:
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient

    topic = kafka.topic(f"gap.{on_gap}")
    out: Fields = {"type": "file_sink", "path": str(tmp_path / "out"), "format": "csv"}
    read = source(kafka, topic, format="csv", schema="n BIGINT", on_gap=on_gap, stop_at="never")
    graph = write(tmp_path / "g.json", chain(("in", read), ("out", out), name=topic))
    run = ("run", graph, "--state", tmp_path / "state", "--epoch-ms", "50")

    def shown() -> list[int]:
        return sorted(map(int, written_lines(tmp_path / "out")))

    kafka.send(topic, map(str, range(10)))
    first = start(*run)
    first.says("running")
    first.until(lambda: any('"10"' in manifest.read_text() for manifest in manifests(tmp_path)), "an epoch with the ten records")
    first.signal(signal.SIGINT)
    first.end()
    kafka.send(topic, map(str, range(10, 30)))
    admin = AdminClient(kafka.settings())
    for deleted in admin.delete_records([TopicPartition(topic, 0, 25)]).values():
        deleted.result(30)
    again = start(*run)
    gap = f"the records 10 to 24 of {topic}/0 are gone: it begins at 25"
    if on_gap == "fail":
        ended = again.end()
        assert ended.code == 1
        assert gap in ended.err
        assert '"on_gap": "skip"' in ended.err
        return
    again.says(gap)
    again.until(lambda: any('"30"' in manifest.read_text() for manifest in manifests(tmp_path)), "an epoch with all records")
    again.signal(signal.SIGINT)
    again.end()
    assert shown() == [*range(10), *range(25, 30)]


def test_what_nobody_committed_is_no_gap(start: Start, kafka: Broker, tmp_path: Path) -> None:
    from confluent_kafka import Producer, TopicPartition
    from confluent_kafka.admin import AdminClient

    topic = kafka.topic("undone")
    kafka.send(topic, map(str, range(10)))
    producer = Producer(kafka.settings(transactional_id=topic))
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(topic, "10")
    producer.flush(30)
    producer.abort_transaction()
    read = source(kafka, topic, format="csv", schema="n BIGINT", stop_at="never")
    graph = write(tmp_path / "g.json", chain(("in", read), ("out", {"type": "discard_sink"}), name=topic))
    run = ("run", graph, "--state", tmp_path / "state", "--epoch-ms", "50")
    first = start(*run)
    first.until(lambda: any('"12"' in manifest.read_text() for manifest in manifests(tmp_path)), "an epoch behind the undone one")
    first.signal(signal.SIGINT)
    first.end()
    admin = AdminClient(kafka.settings())
    for deleted in admin.delete_records([TopicPartition(topic, 0, 12)]).values():
        deleted.result(30)
    again = start(*run)
    again.says("running")
    kafka.send(topic, ["11"])
    again.until(lambda: any('"13"' in manifest.read_text() for manifest in manifests(tmp_path)), "an epoch with the next record")
    again.signal(signal.SIGINT)
    again.end()


@pytest.mark.connector("kafka", "changed")
def test_partitions_that_a_topic_gets_are_read_from_their_first_record(start: Start, kafka: Broker, tmp_path: Path) -> None:
    from confluent_kafka.admin import AdminClient, NewPartitions

    topic = kafka.topic("grows")
    kafka.send(topic, ["0"])
    read = source(kafka, topic, format="csv", schema="n BIGINT", stop_at="never", start={"type": "latest"}, refresh_ms=200)
    out: Fields = {"type": "file_sink", "path": str(tmp_path / "out"), "format": "csv", "roll_every_ms": 50}
    run = start("run", write(tmp_path / "g.json", chain(("in", read), ("out", out))), "--state", tmp_path / "state")
    run.until(lambda: manifests(tmp_path), "an epoch, so that the source has begun")
    admin = AdminClient(kafka.settings())
    admin.create_partitions([NewPartitions(topic, 2)])[topic].result(30)
    until(lambda: len(admin.list_topics(topic, timeout=10).topics[topic].partitions) == 2, "a second partition")
    kafka.send(topic, ["1", "2"], partition=1)
    run.says("reads 1 new partitions")

    def shown() -> list[int]:
        return sorted(map(int, written_lines(tmp_path / "out")))

    run.until(lambda: shown() == [1, 2], "the records of the new partition")
    run.signal(signal.SIGINT)
    run.end()


@in_every
@pytest.mark.connector("kafka", "slow")
def test_a_topic_that_is_larger_than_memory_goes_through_a_slow_job(start: Start, kafka: Broker, tmp_path: Path) -> None:
    topic = kafka.topic("large", 2)
    value = "x" * 20_000
    for partition in range(2):
        kafka.send(topic, [value] * 6_000, partition=partition, compression_type="none", linger_ms=50)
    read = source(kafka, topic, format="text", buffer_bytes=1 << 20)
    slow: Fields = {"type": "relay", "work_us": 200}
    graph = write(tmp_path / "g.json", chain(("in", read), ("slow", slow), ("out", {"type": "discard_sink"})))
    ended = start("run", graph, DESPINA_JAVA_OPTIONS="-Xmx120m -XX:+UseSerialGC").end()
    assert ended.code == 0, ended.err
    assert "out: 12,000 in" in ended.err
