"""Jobs between topics of MQTT that are killed and stopped, and brokers: no message is lost, and what repeats is named."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from despina.state import ls
from e2e.conftest import Start
from support import connector_kills
from support.cutter import Cutter
from support.every import in_every
from support.graphs import Fields, chain, write
from support.mqtt import Mosquitto, sink, source, user_properties
from support.processes import Command, until

if TYPE_CHECKING:
    from paho.mqtt.client import MQTTMessage

BATCH = 400
TWO: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
               "place": {"in": ["near"], "*": ["far"]}}


@pytest.fixture
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """One that may be killed."""
    with Mosquitto(tmp_path_factory.mktemp("broker")) as made:
        yield made


class Passing:
    """A job that passes numbers on from one topic to another, and keeps its state."""

    def __init__(self, start: Start, broker: Mosquitto, folder: Path, version: str = "5", through: Fields | None = None,
                 **fields: object) -> None:
        """:param through: what is other of source and sink"""
        self._start = start
        self.broker = broker
        self.folder = folder
        self.sent = 0
        fields |= {"format": "csv", "schema": "n BIGINT", "version": version}
        graph = chain(("in", source(broker, "in/{k}", **fields) | (through or {})),
                      ("even", {"type": "project", "select": ["n", "k"]}),
                      ("out", sink(broker, topic="out/{k}", version=version) | (through or {})), name="passing")
        graph["links"][0]["fuse"] = False
        self._graph = write(folder / "passing.json", graph)

    def run(self, *options: str | Path) -> Command:
        """Starts it, or goes on with it."""
        return self._start("run", self._graph, "--state", self.folder / "state", "--epoch-ms", "100", *options)

    def send(self) -> None:
        """Publishes so many more."""
        self.broker.send("in/k", [str(number) for number in range(self.sent, self.sent + BATCH)])
        self.sent += BATCH

    def all_in(self, found: list[MQTTMessage]) -> bool:
        """Whether every number is there."""
        return len({json.loads(message.payload)["n"] for message in found}) == self.sent


    def given_up(self) -> None:
        """The session that nobody comes back to is found by the name in the state folder, and ended."""
        state = self.folder / "state"
        session, = [each.name for each in ls(state)[0].names if each.operator == "in"]
        found = self._start("state", "servers", state, self._graph).end()
        assert found.out == f"in: session {session} at {self.broker.url}, unless it has ended by itself\n", found.err
        assert self.broker.has_session(session)
        assert self._start("state", "servers", state, self._graph, "--remove").end().code == 0
        assert not self.broker.has_session(session)


def each_once(found: list[MQTTMessage], count: int) -> None:
    """Those that the sink sent again have the name that they had before; without them each number is there once."""
    named = {user_properties(message)["despina-id"]: json.loads(message.payload)["n"] for message in found}
    assert sorted(named.values()) == list(range(count))


@pytest.mark.connector("mqtt", "jobs")
def test_a_killed_job_goes_on_and_loses_nothing(start: Start, broker: Mosquitto, tmp_path: Path) -> None:
    passing = Passing(start, broker, tmp_path)
    with broker.listening("out/#") as found:
        run = passing.run()
        broker.awaits("in/+")
        for _ in range(2):
            passing.send()
            run.until(lambda: found, "a first row")
            passing.send()
            run.kill()
            passing.send()
            run = passing.run()
        run.until(lambda: passing.all_in(found), "every number")
        run.interrupt(0)
        each_once(found, passing.sent)


@in_every
@pytest.mark.connector("mqtt", "jobs")
def test_a_job_whose_resource_is_killed_goes_on_by_itself(start: Start, broker: Mosquitto, tmp_path: Path) -> None:
    passing = Passing(start, broker, tmp_path)
    with broker.listening("out/#") as found:
        run = passing.run("--deployment", write(tmp_path / "two.json", TWO))
        broker.awaits("in/+")
        for _ in range(2):
            passing.send()
            run.until(lambda: found, "a first row")
            os.kill(run.jvms("ResourceMain")[0], signal.SIGKILL)
            passing.send()
            run.until(lambda: passing.all_in(found), "every number")
        run.interrupt(0)
        each_once(found, passing.sent)


@pytest.mark.parametrize("version", [pytest.param("3.1.1", marks=in_every), "5"])
@pytest.mark.connector("mqtt", "killed")
def test_a_broker_that_is_killed_and_comes_back_loses_nothing(start: Start, broker: Mosquitto, tmp_path: Path,
                                                              version: str) -> None:
    passing = Passing(start, broker, tmp_path, version, client_id="passing")
    run = passing.run()
    broker.awaits("in/+")
    with broker.listening("out/#", name="counts", clean=False) as before:
        passing.send()
        run.until(lambda: passing.all_in(before), "every number")
    broker.kill()
    run.says("it waits")
    broker.start()
    run.says("answers again")
    with broker.listening("out/#", name="counts", clean=False) as after:
        passing.send()
        run.until(lambda: passing.all_in([*before, *after]), "every number")
    run.interrupt(0)
    told = [line for line in run.err().splitlines() if "it waits" in line and "`in`" in line]
    assert len(told) == 1, run.err()


def test_a_kill_of_the_broker_loses_nothing_that_the_campaign_has_sent_and_nobody_acknowledged(broker: Mosquitto) -> None:
    """As to a source whose job has just lost a resource: it is connected, and takes nothing more."""
    count = connector_kills.BATCH
    with broker.client("reads", clean=False, prepared=lambda client: client.manual_ack_set(on=True)) as silent:
        silent.subscribe("numbers", 1)
        broker.awaits("numbers")
        connector_kills.SUBJECTS["mqtt"].send(broker, range(count))
        broker.kill()
    broker.start()
    with broker.listening("numbers", name="reads", clean=False) as found:
        until(lambda: {int(message.payload) for message in found} == {*range(count)}, "every number")


@pytest.mark.connector("mqtt", "cut")
def test_connections_that_are_cut_at_any_byte_lose_nothing(start: Start, broker: Mosquitto, tmp_path: Path) -> None:
    """The first two let source and sink begin; the others are cut within what a client says first, and within messages."""
    with closing(Cutter(broker, 3_000, 3_000, 7, 40, 900, 2_001, 5_003)) as cutter:
        passing = Passing(start, broker, tmp_path, through={"broker": cutter.url})
        with broker.listening("out/#") as found:
            run = passing.run()
            broker.awaits("in/+")
            while len(cutter.sent) < 9:
                passing.send()
                run.until(lambda: passing.all_in(found), "every number")
            run.interrupt(0)
            each_once(found, passing.sent)


@pytest.mark.connector("mqtt", "phases", "leftovers")
def test_a_stopped_job_goes_on_where_it_was(start: Start, broker: Mosquitto, tmp_path: Path) -> None:
    passing = Passing(start, broker, tmp_path)
    again: list[str] = []
    with broker.listening("out/#") as found:
        for way in ("drain", "now", "flush"):
            seen = len(found)
            run = passing.run("--on-stop", way, *again)
            broker.awaits("in/+")
            passing.send()
            run.until(lambda seen=seen: len(found) > seen, "a first row")  # type: ignore[misc]
            run.interrupt(0)
            passing.send()
            again = ["--from-start"] if way == "flush" else []      # it has ended then, as at the end of its input
        run = passing.run(*again)
        run.until(lambda: passing.all_in(found), "every number")
        run.interrupt(0)
        each_once(found, passing.sent)
    passing.given_up()


def by_name(found: list[MQTTMessage]) -> dict[str, dict[str, int]]:
    """Rows without those that came again after a kill."""
    return {user_properties(message)["despina-id"]: json.loads(message.payload) for message in list(found)}


@pytest.mark.connector("mqtt", "jobs")
def test_windows_go_on_over_a_restart(start: Start, broker: Mosquitto, tmp_path: Path) -> None:
    read = source(broker, "in", format="csv", schema="ts TIMESTAMP, n BIGINT", event_time={"column": "ts", "order_by": ["n"]})
    counts: Fields = {"type": "aggregate", "window": {"type": "tumbling", "size_ms": 1000},
                      "select": ["count(*) AS c", "sum(n) AS s"]}
    graph = write(tmp_path / "g.json", chain(("in", read), ("counts", counts), ("out", sink(broker, topic="out")),
                                             name="windows"))
    with broker.listening("out") as found:
        for turn in range(3):
            run = start("run", graph, "--state", tmp_path / "state", "--epoch-ms", "100")
            broker.awaits("in")
            broker.send("in", [f"2026-01-01T00:00:{10 * turn + number // 10:02}.{number % 10}Z,{number}" for number in range(95)])
            run.until(lambda turn=turn: len(by_name(found)) >= 9 + 10 * turn, "windows")  # type: ignore[misc]
            run.kill()
    of_a_turn = [{"c": 10, "s": sum(range(10 * second, 10 * second + 10))} for second in range(9)]
    open_window = {"c": 5, "s": sum(range(90, 95))}
    assert list(by_name(found).values()) == [*of_a_turn, open_window, *of_a_turn, open_window, *of_a_turn]


@pytest.mark.connector("mqtt", "slow")
def test_a_slow_graph_slows_the_broker_and_gets_all_in_order(start: Start, broker: Mosquitto, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(
        ("in", source(broker, "in", format="csv", schema="n BIGINT, rest STRING", buffer_bytes=65536)),
        ("slow", {"type": "relay", "sleep_ms": 2}), ("kept", {"type": "project", "select": ["n"]}),
        ("out", sink(broker, topic="out", delivery="at_least_once")), name="slow"))
    with broker.listening("out") as found:
        run = start("run", graph, "--deployment", write(tmp_path / "d.json", {
            "format": 1, "resources": {"one": {"start": "child", "memory_bytes": 201_326_592}}, "place": {"*": ["one"]}}))
        broker.awaits("in")
        broker.send("in", [f"{number},{'x' * 50_000}" for number in range(BATCH)])
        run.until(lambda: len(found) >= BATCH, "every number")
        run.interrupt(0)
    assert [json.loads(message.payload)["n"] for message in found] == list(range(BATCH))
