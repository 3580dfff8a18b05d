"""Jobs that carry numbers from a real server back to it, and what is killed meanwhile: a resource, the run, the server itself.

A round is a server with a job of its own and some kills at random instants. Numbers are sent all the time, by a client of another
code base. When all kills are over, that client must find each number once and in order, where the graph promises that; elsewhere
each at least once.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest

from support import kafka, lakes, mqtt, nats, opcua, postgres, redis_servers
from support.graphs import Fields, chain, write
from support.processes import INTERRUPTED, Command, commands, until

RESOURCE, RUN, SERVER = "resource", "run", "server"
WAYS = (*[RESOURCE] * 5, *[RUN] * 2, *[SERVER] * 3)
"""What is killed, as often as each stands here."""
MOST_KILLS = 12
FREEZES, FROZEN_S = 0.3, 10.0
"""In so many rounds the server stands still, and for so long, when all kills are over."""
RUNS = 0.5
"""So many kills hit a job that has written something since the last one; the others may hit it while it begins."""
MOST_PAUSE_S = 1.0
"""Before a kill, and before a server that was killed comes back."""
BATCH, BATCH_S = 20, 0.05
"""So many numbers are sent at once, and so often."""
OVER_S = 180.0
"""How long the last numbers may take."""
LOOK_EVERY_S = 0.3
"""All numbers are read to look."""
NO_NUMBER = -1
"""What a node has before the first one."""
NUMBERS: Fields = {"format": "csv", "schema": "n BIGINT", "stop_at": "never"}


class Server(Protocol):
    """What all of them can that are more than a folder."""

    def start(self) -> Any:
        """Starts it in the folder that an earlier start has left."""

    def kill(self) -> None:
        """Ends it at once."""

    def freeze(self) -> None:
        """It takes and answers nothing more."""

    def thaw(self) -> None:
        """It goes on."""


@dataclass(frozen=True)
class Subject:
    """A connector, and the server of its jobs.

    :ivar running: a server that writes to that folder; gone in the end. Skips where it is not installed
    :ivar prepare: makes there what must be there before the job
    :ivar ends: source and sink
    :ivar send: numbers to where the source reads
    :ivar found: the numbers that the sink has written, in their order
    :ivar once: whether each must be there once; else at least once
    :ivar jars: of the user's
    :ivar ways: what is killed, as often as each stands here
    """

    running: Callable[[Path], AbstractContextManager[Any]]
    prepare: Callable[[Any], None]
    ends: Callable[[Any, Path], tuple[Fields, Fields]]
    send: Callable[[Any, Sequence[int]], None]
    found: Callable[[Any, Path], list[int]]
    once: bool = True
    jars: Callable[[], Sequence[Path]] = tuple
    ways: Sequence[str] = WAYS


def _streams(server: nats.Nats) -> None:
    server.stream("numbers")
    server.stream("copies")


def _topics(server: kafka.Broker) -> None:
    server.topic("numbers")
    server.topic("copies")


def _tables(server: postgres.Postgres) -> None:
    server.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)")
    server.execute("CREATE TABLE copies (at BIGSERIAL, n BIGINT)")


def _insert(server: postgres.Postgres, numbers: Sequence[int]) -> None:
    server.execute("INSERT INTO numbers SELECT generate_series(%s::bigint, %s::bigint)", (numbers[0], numbers[-1]))


def _texts(numbers: Sequence[int]) -> list[str]:
    return [str(number) for number in numbers]


def _rows(folder: Path) -> list[int]:
    """In files of one instance, whose names are in the order of their rows."""
    return [int(float(line)) for part in sorted(folder.glob("out/part-*")) for line in part.read_text().split()]


def _files(folder: Path) -> Fields:
    return {"type": "file_sink", "path": str(folder / "out"), "format": "csv", "roll_every_ms": 100}


def _values(server: opcua.Plant, folder: Path) -> tuple[Fields, Fields]:
    """A process that is killed has its subscription no more: what comes meanwhile it reads from the history."""
    return (opcua.source(server.url, opcua.PUMP, schema="n DOUBLE", queue_size=10_000, history=True,
                         history_from=datetime.now(UTC).isoformat()), _files(folder))


def _publish(server: mqtt.Mosquitto, numbers: Sequence[int]) -> None:
    """mosquitto acknowledges a message before it has saved it, and saves none because it is on its way to a client.

    For a retained one it saves all that it has, before it reads the next packet: so the second is acknowledged after that.
    """
    server.send("numbers", _texts(numbers))
    server.send("saved", ["numbers", "numbers"], retain=True)


@contextmanager
def _plant(folder: Path) -> Iterator[opcua.Plant]:
    folder.mkdir()
    with opcua.running(folder / "pump") as plant:
        yield plant


def _lake(kind: str, server: Any) -> tuple[Fields, Fields]:
    return ({"type": f"{kind}_source", **server.fields("numbers"), "schema": "n BIGINT", "follow": True, "poll_ms": 20},
            {"type": f"{kind}_sink", **server.fields("copies")})


SUBJECTS = {
    "redis": Subject(
        redis_servers.Redis, lambda _: None,
        lambda server, _: (redis_servers.source(server, "numbers", **NUMBERS),
                           redis_servers.sink(server, stream="copies", format="csv")),
        lambda server, numbers: server.send("numbers", _texts(numbers)),
        lambda server, _: [int(entry[b"value"]) for entry in server.read("copies")]),
    "nats": Subject(
        nats.Nats, _streams,
        lambda server, _: (nats.source(server, "numbers", **NUMBERS),
                           nats.sink(server, stream="copies", subject="copies", format="csv")),
        lambda server, numbers: server.send("numbers", _texts(numbers)),
        lambda server, _: [int(message.data) for message in server.read("copies")]),
    "kafka": Subject(
        kafka.Broker, _topics,
        lambda server, _: (kafka.source(server, "numbers", **NUMBERS), kafka.sink(server, topic="copies", format="csv")),
        lambda server, numbers: server.send("numbers", _texts(numbers), acks="all"),
        lambda server, _: [int(value) for value in server.values("copies")]),
    "mqtt": Subject(
        mqtt.Mosquitto, lambda _: None,
        lambda server, folder: (mqtt.source(server, "numbers", format="csv", schema="n BIGINT"), _files(folder)),
        _publish, lambda _, folder: _rows(folder)),
    "opcua": Subject(
        _plant, lambda server: server.send([NO_NUMBER]), _values, lambda server, numbers: server.send(numbers),
        lambda _, folder: [number for number in _rows(folder) if number != NO_NUMBER]),
    "jdbc": Subject(
        lambda _: postgres.running(), _tables,
        lambda server, _: ({"type": "jdbc_source", **server.connection(), "table": "numbers", "column": "n", "follow": True,
                            "poll_ms": 20, "schema": "n BIGINT"},
                           {"type": "jdbc_sink", **server.connection(), "table": "copies"}),
        _insert, lambda server, _: [n for n, in server.execute("SELECT n FROM copies ORDER BY at")],
        jars=lambda: [postgres.driver_jar()]),
    "delta": Subject(
        lakes.delta, lambda server: server.make("numbers"), lambda server, _: _lake("delta", server),
        lambda server, numbers: server.append("numbers", numbers), lambda server, _: server.read("copies"),
        ways=[way for way in WAYS if way != SERVER]),
    "iceberg": Subject(
        lakes.iceberg, lambda server: server.make("numbers"), lambda server, _: _lake("iceberg", server),
        lambda server, numbers: server.append("numbers", numbers), lambda server, _: server.read("copies")),
}


@dataclass
class Found:
    """What has become of a round."""

    subject: str
    kills: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    wrong: list[str] = field(default_factory=list)
    frozen: bool = False
    """Whether the server stood still for a time."""
    absent: str = ""
    """Why there was none."""


class Sender(threading.Thread):
    """Sends numbers until it is told to end.

    What a server has of numbers that it did not acknowledge, nobody knows: nothing is on its way when it is killed.
    """

    def __init__(self, subject: Subject, server: Any) -> None:
        super().__init__(daemon=True)
        self._subject, self._server = subject, server
        self._ended = threading.Event()
        self.quiet = threading.Lock()
        """Held by who wants nothing to be sent."""
        self.sent = 0
        self.fault = ""

    def run(self) -> None:
        """Sends."""
        try:
            while not self._ended.wait(BATCH_S):
                with self.quiet:
                    self._subject.send(self._server, range(self.sent, self.sent + BATCH))
                    self.sent += BATCH
        except Exception as error:     # of many libraries, and nobody else would tell it
            self.fault = f"the sender: {type(error).__name__}: {error}"

    def end(self) -> None:
        """Sends nothing more."""
        self._ended.set()
        if self.ident is not None:
            self.join(OVER_S)


class Job:
    """The graph, and the command that runs it."""

    def __init__(self, starts: Callable[..., Command], subject: Subject, server: Any, folder: Path) -> None:
        source, sink = subject.ends(server, folder)
        jars = [str(jar) for jar in subject.jars()]
        child: Fields = {"start": "child", **({"jars": jars, "allow_classes": [postgres.DRIVER]} if jars else {})}
        self._starts, self._subject, self._folder = starts, subject, folder
        self.server: Server = server
        self._graph = write(folder / "g.json", chain(("in", source), ("out", sink), name="kept"))
        self._two = write(folder / "two.json", {"format": 1, "resources": {"near": child, "far": child},
                                                "place": {"in": ["near"], "*": ["far"]}})
        self.run = self.start()

    def start(self) -> Command:
        """Begins, or goes on from its state."""
        self.run = self._starts("run", self._graph, "--state", self._folder / "state", "--epoch-ms", "100", "--deployment",
                                self._two)
        return self.run

    def count(self) -> int:
        """How many numbers are there."""
        return len(set(self._subject.found(self.server, self._folder)))

    def kill_one(self, chance: random.Random) -> None:
        """Kills a resource; the job goes on by itself."""
        pids = until(lambda: self.run.jvms("ResourceMain") or not self.run.processes(), "resource")
        assert isinstance(pids, list), self.run.err()[-2000:]
        with suppress(ProcessLookupError):
            os.kill(chance.choice(pids), signal.SIGKILL)

    def stop(self) -> str:
        """Ends it in peace.

        :return: what is wrong with that; empty for nothing
        """
        self.run.signal(signal.SIGINT)
        ended = self.run.end()
        return "" if ended.code in (0, INTERRUPTED) else f"it ended with {ended.code}: {ended.err[-2000:]}"


def _hit(way: str, job: Job, sender: Sender, chance: random.Random) -> None:
    if way == RESOURCE:
        job.kill_one(chance)
    elif way == RUN:
        job.run.kill()
        job.start()
    else:
        with sender.quiet:
            job.server.kill()
            time.sleep(chance.uniform(0, MOST_PAUSE_S))
            job.server.start()


def judged(sent: int, numbers: Sequence[int], once: bool) -> list[str]:
    """What is wrong with the numbers that were found."""
    lost = sorted(set(range(sent)) - set(numbers))
    twice = sorted(number for number, count in Counter(numbers).items() if count > 1)
    first = list(dict.fromkeys(numbers))
    wrong = [f"{len(lost)} numbers lost, {lost[:3]} the first"] if lost else []
    wrong += [f"{len(twice)} numbers twice, {twice[:3]} the first"] if once and twice else []
    wrong += ["numbers are out of order"] if not lost and first != sorted(first) else []
    return wrong


def one(name: str, folder: Path, seed: str, ways: Sequence[str]) -> Found:
    """A round: these kills, in this order."""
    subject, found = SUBJECTS[name], Found(name)
    folder.mkdir(parents=True)
    started = commands(folder)
    with subject.running(folder / "server") as server:
        sender = Sender(subject, server)
        try:
            subject.prepare(server)
            job = Job(next(started), subject, server, folder)
            if name == "mqtt":
                server.awaits("numbers")    # a broker keeps nothing for whom it does not know yet
            _hit_all(ways, job, sender, random.Random(seed), found)
            numbers = subject.found(server, folder)
            found.rows = len(numbers)
            found.wrong += judged(sender.sent, numbers, subject.once)
        except AssertionError as late:
            found.wrong.append(str(late))
        finally:
            sender.end()
            with suppress(AssertionError):      # of a job that went wrong processes are left
                next(started, None)
    return found


def _hit_all(ways: Sequence[str], job: Job, sender: Sender, chance: random.Random, found: Found) -> None:
    sender.start()
    for way in ways:
        if chance.random() < RUNS:
            before = job.count()
            until(lambda before=before: job.count() > before or not job.run.processes(),  # type: ignore[misc]
                  "number", OVER_S, look_every_s=LOOK_EVERY_S)
        time.sleep(chance.uniform(0, MOST_PAUSE_S))
        _hit(way, job, sender, chance)
        found.kills[way] += 1
    if SERVER in SUBJECTS[found.subject].ways and chance.random() < FREEZES:
        with sender.quiet:
            job.server.freeze()
            time.sleep(FROZEN_S)
            job.server.thaw()
        found.frozen = True
    sender.end()
    found.wrong += [sender.fault] if sender.fault else []
    with suppress(AssertionError):      # what is missing then is told by the numbers
        until(lambda: job.count() >= sender.sent or not job.run.processes(), "every number", OVER_S, look_every_s=LOOK_EVERY_S)
    said = job.stop()
    found.wrong += [said] if said else []


def campaign(folder: Path, seed: int, count: int, names: Sequence[str]) -> Iterator[tuple[int, Found]]:
    """Rounds with so many kills of each of these connectors, by turns; the numbers of the rounds.

    :param seed: says what is killed when; how far the job is then, it does not say
    """
    chance = random.Random(seed)
    left = dict.fromkeys(names, count)
    number = 0
    while any(left.values()):
        for name in [each for each in names if left[each]]:
            ways = chance.choices(SUBJECTS[name].ways, k=min(chance.randint(1, MOST_KILLS), left[name]))
            own = folder / f"{number}-{name}"
            try:
                found = one(name, own, f"{seed}-{number}", ways)
                left[name] -= len(ways)
            except pytest.skip.Exception as absent:
                found = Found(name, absent=str(absent))
                left[name] = 0
            if not found.wrong:
                shutil.rmtree(own, ignore_errors=True)
            yield number, found
            number += 1
