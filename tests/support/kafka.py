"""A broker of Kafka for tests: a JVM on the loopback interface, with its folder, and a client of another code base."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from despina import installed
from support.graphs import Fields
from support.processes import ROOT, free_port, until
from support.servers import ServerProcess

if TYPE_CHECKING:
    from confluent_kafka import Message

CLASS_PATH = ROOT / "build" / "kafka-server.classpath"
OPTIONS = ("-Xms64m", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners={listeners},CONTROLLER://127.0.0.1:{controller}
advertised.listeners={advertised}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,BEHIND:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL
controller.listener.names=CONTROLLER
log.dirs={folder}/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
log.cleaner.dedupe.buffer.size=4194304
log.retention.check.interval.ms=500
log.initial.task.delay.ms=500
num.network.threads=2
num.io.threads=2
num.replica.fetchers=1
"""


_formatted: list[Path] = []
"""The folder of a server that has not run yet, once there is one."""


class Broker(ServerProcess):
    """A broker and its own controller in one process."""

    def __init__(self, folder: Path, more: Mapping[str, str] | None = None, protocol: str = "PLAINTEXT",
                 behind: tuple[int, int] | None = None) -> None:
        """:param more: further settings of the server

        :param behind: a port that it listens on besides, and the one that it tells clients there to come by, which is a proxy's
        """
        if not CLASS_PATH.is_file():
            pytest.skip(f"no broker of Kafka: {CLASS_PATH} is made by make servers")
        pytest.importorskip("confluent_kafka", reason="the client that counts is of the extra dev")
        super().__init__(folder)
        self.servers = f"127.0.0.1:{self.port}"
        self.login: dict[str, Any] = {}
        """What the client of another code base needs besides."""
        own = f"{protocol}://{self.servers}"
        listeners, advertised = (own, own) if behind is None else (f"{own},BEHIND://127.0.0.1:{port}" for port in behind)
        text = PROPERTIES.format(folder=folder, controller=free_port(), listeners=listeners, advertised=advertised)
        self._settings = folder / "server.properties"
        self._settings.write_text(text + "".join(f"{name}={value}\n" for name, value in (more or {}).items()))

    def _java(self, *arguments: str | Path) -> list[str]:
        return [str(installed.find_java().executable), *OPTIONS, "-cp", CLASS_PATH.read_text(), *map(str, arguments)]

    def _command(self) -> list[str]:
        if not (self.folder / "data").exists():
            self._format()
        return self._java("kafka.Kafka", self._settings)

    def _format(self) -> None:
        """What the server's own tool makes is alike for all brokers: it runs once, and the others have a copy."""
        if _formatted:
            shutil.copytree(_formatted[0], self.folder / "data")
            return
        subprocess.run(self._java("kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", self._settings),
                       check=True, stdout=subprocess.DEVNULL)
        kept = Path(tempfile.mkdtemp(prefix="despina-kafka-"))
        atexit.register(shutil.rmtree, kept, ignore_errors=True)
        shutil.copytree(self.folder / "data", kept / "data")
        _formatted.append(kept / "data")

    def settings(self, **more: Any) -> dict[str, Any]:
        """For the client of another code base."""
        dotted = {name.replace("_", "."): value for name, value in more.items()}
        return {"bootstrap.servers": self.servers, "log_level": 0, **self.login, **dotted}

    def topic(self, name: str, partitions: int = 1, **config: str) -> str:
        """Makes a topic, and waits until it is there."""
        from confluent_kafka.admin import AdminClient, NewTopic

        admin = AdminClient(self.settings())
        made = NewTopic(name, partitions, 1, config={key.replace("_", "."): value for key, value in config.items()})
        admin.create_topics([made])[name].result(30)
        until(lambda: name in admin.list_topics(timeout=10).topics, f"topic {name}")
        return name

    def send(self, topic: str, values: Iterable[str | bytes | None], partition: int | None = None,
             key: str | None = None, headers: Sequence[tuple[str, bytes | None]] = (), **config: Any) -> None:
        """Writes records, and waits until they are there."""
        from confluent_kafka import Producer

        producer = Producer(self.settings(**config))
        where = {} if partition is None else {"partition": partition}
        for value in values:
            while True:
                try:
                    producer.produce(topic, value, key=key, headers=list(headers), **where)
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(60) == 0

    def read(self, topic: str, isolation: str = "read_committed") -> list[Message]:
        """All records that are there now, as a client sees them that reads what is committed."""
        from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

        # the end of a partition is told by an empty answer, for which the broker would wait half a second
        consumer = Consumer(self.settings(group_id="counts", isolation_level=isolation, enable_partition_eof=True,
                                          enable_auto_commit=False, fetch_wait_max_ms=10))
        try:
            partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
            consumer.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in partitions])
            left, found = set(partitions), []
            while left:
                message = consumer.poll(30)
                assert message is not None, f"{topic}: no answer"
                error = message.error()
                if error is None:
                    found.append(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
                else:
                    raise AssertionError(error)
            return found
        finally:
            consumer.close()

    def values(self, topic: str) -> list[str]:
        """The values of these records."""
        return [message.value().decode() for message in self.read(topic)]


def source(broker: Broker, *topics: str, **fields: Any) -> Fields:
    """An operator that reads the topics to their ends."""
    return {"type": "kafka_source", "bootstrap_servers": broker.servers, "topics": list(topics), "stop_at": "end", **fields}


def sink(broker: Broker, **fields: Any) -> Fields:
    """An operator that writes to the broker."""
    return {"type": "kafka_sink", "bootstrap_servers": broker.servers, "format": "json", **fields}

