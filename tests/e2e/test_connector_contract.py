"""What holds of every connector: a subject is a pair of source and sink with its real server, as the soak has them.

``docs/connectors.md`` says which case is tried with which; what only one connector has is in its own tests. CI has one subject
for each of these cases, ``make every`` all.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from e2e.conftest import Start
from support import mqtt
from support.connector_kills import SUBJECTS, Subject, judged
from support.cutter import Cutter
from support.every import in_every
from support.graphs import Fields, chain, rows, write
from support.processes import Command, over, until

COUNT = 100
CUTS = (7, 150, 301, 900, 1_500, 2_001, 5_003, 9_000)
"""Bytes that a client sends before its connections are cut, one after the other."""
STANDS_S = 2.0
"""A source of so many rows a second, without an end, stands still if none has left it for so long."""
PER_S = 20_000
AT_LEAST_ONCE = {"mqtt"}
"""Sinks that may send a row again."""


@contextmanager
def running(subject: Subject, folder: Path) -> Iterator[Any]:
    """A server with what must be there before the job."""
    with subject.running(folder / "server") as server:
        subject.prepare(server)
        yield server


class Job:
    """A run of the subject's graph, which goes on in the folder where it was."""

    def __init__(self, start: Start, name: str, server: Any, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._start, self._name, self._server, self.folder = start, name, server, folder
        source, sink = SUBJECTS[name].ends(server, folder)
        self._graph = write(folder / "g.json", chain(("in", source), ("out", sink), name="kept"))

    def run(self, *options: str) -> Command:
        """Begins, or goes on."""
        jars = [word for jar in SUBJECTS[self._name].jars() for word in ("--jar", jar)]
        before = self._server.subscriptions("numbers") if self._name == "mqtt" else 0
        run = self._start("run", self._graph, "--state", self.folder / "state", "--epoch-ms", "100", *jars, *options)
        if self._name == "mqtt":        # a broker keeps nothing for whom it does not know yet
            run.until(lambda: self._server.subscriptions("numbers") > before, "a subscription")
        return run


@pytest.mark.parametrize("name", [
    pytest.param("redis", marks=pytest.mark.connector("redis", "phases")),
    pytest.param("nats", marks=[in_every, pytest.mark.connector("nats", "phases")]),
    pytest.param("delta", marks=[in_every, pytest.mark.connector("delta", "phases")]),
    pytest.param("iceberg", marks=[in_every, pytest.mark.connector("iceberg", "phases")]),
])
def test_a_job_that_is_stopped_goes_on(start: Start, tmp_path: Path, name: str) -> None:
    subject, sent = SUBJECTS[name], 0
    with running(subject, tmp_path) as server:
        job = Job(start, name, server, tmp_path)
        for way in ("drain", "now", "flush"):
            run = job.run("--on-stop", way)
            seen = len(subject.found(server, job.folder))
            subject.send(server, range(sent, sent + COUNT))
            sent += COUNT
            run.until(lambda seen=seen: len(subject.found(server, job.folder)) > seen, "a number")  # type: ignore[misc]
            run.interrupt(0)
        numbers = subject.found(server, job.folder)
        assert judged(len(numbers), numbers, once=True) == []
        assert len(numbers) > 2 * COUNT, "what an earlier run had not read came with the next"
        assert "the job has ended" in job.run().end().err       # by flush


@pytest.mark.parametrize("name", [
    pytest.param("redis", marks=pytest.mark.connector("redis", "two")),
    pytest.param("kafka", marks=[in_every, pytest.mark.connector("kafka", "two")]),
    pytest.param("mqtt", marks=[in_every, pytest.mark.connector("mqtt", "two")]),
    pytest.param("nats", marks=[in_every, pytest.mark.connector("nats", "two")]),
    pytest.param("delta", marks=[in_every, pytest.mark.connector("delta", "two", "others")]),
    pytest.param("iceberg", marks=[in_every, pytest.mark.connector("iceberg", "two", "others")]),
])
def test_two_jobs_of_one_graph_do_not_disturb_each_other(start: Start, tmp_path: Path, name: str) -> None:
    """Each has a state folder of its own, and so names of its own at the server: all numbers are there twice."""
    subject = SUBJECTS[name]
    with running(subject, tmp_path) as server:
        jobs = [Job(start, name, server, tmp_path / folder) for folder in ("one", "other")]

        def found() -> list[int]:
            """Of MQTT a client that listens writes a file for each job."""
            return [number for job in (jobs if name == "mqtt" else jobs[:1]) for number in subject.found(server, job.folder)]

        runs = [job.run() for job in jobs]
        subject.send(server, range(COUNT))
        for run in runs:
            run.until(lambda: len(found()) >= 2 * COUNT, "every number twice")
        runs[0].kill()
        subject.send(server, range(COUNT, 2 * COUNT))
        runs[0] = jobs[0].run()
        for run in runs:
            run.until(lambda: len(found()) >= 4 * COUNT, "every number twice")
        for run in runs:
            run.interrupt(0)
        assert Counter(found()) == dict.fromkeys(range(2 * COUNT), 2)


def quick_broker(folder: Path) -> mqtt.Mosquitto:
    """One that saves nothing, as it is not killed: to save all that it has at each message takes a minute for so many."""
    return mqtt.Mosquitto(folder, "allow_anonymous true", "persistence false")


@contextmanager
def into(name: str, server: Any, folder: Path) -> Iterator[tuple[Fields, Callable[[], list[int]]]]:
    """The subject's sink, and what is found behind it. MQTT's subject has none: a client hears what is published there."""
    if name == "mqtt":
        with server.listening("copies") as heard:
            yield (mqtt.sink(server, topic="copies", format="csv", value=["n"]),
                   lambda: [int(message.payload) for message in heard])
    else:
        yield SUBJECTS[name].ends(server, folder)[1], lambda: SUBJECTS[name].found(server, folder)


@pytest.mark.parametrize("name", [
    pytest.param("redis", marks=pytest.mark.connector("redis", "stands")),
    pytest.param("kafka", marks=[in_every, pytest.mark.connector("kafka", "stands")]),
    pytest.param("nats", marks=[in_every, pytest.mark.connector("nats", "stands")]),
    pytest.param("jdbc", marks=[in_every, pytest.mark.connector("jdbc", "stands")]),
    pytest.param("mqtt", marks=[in_every, pytest.mark.connector("mqtt", "stands")]),
    pytest.param("iceberg", marks=[in_every, pytest.mark.connector("iceberg", "stands")]),
])
def test_a_source_waits_while_the_server_of_the_sink_stands_still(engine: Engine, tmp_path: Path, name: str) -> None:
    """Rows wait in a log of 1 MiB on the disk, and then nothing is read any more."""
    subject = replace(SUBJECTS[name], running=quick_broker) if name == "mqtt" else SUBJECTS[name]
    with running(subject, tmp_path) as server, into(name, server, tmp_path) as (end, found):
        sink = end | {"spool_bytes": 1 << 20}
        made = (rows(None, "id AS n", "repeat('.', 1000) AS wide", rate_per_s=PER_S // 10) if name == "mqtt"
                else rows(None, "id AS n", rate_per_s=PER_S))       # a client hears no more than some thousands a second
        graph = Graph.from_dict(chain(("in", made), ("out", sink), name="kept", links={"fuse": False}))
        options = RunOptions(state=str(tmp_path / "state"), epoch_ms=100, jars=list(subject.jars()))
        with graph.start(engine, options) as job:
            until(found, "a number", ended=over(job))
            server.freeze()
            try:
                looks: list[tuple[float, int]] = []

                def stands() -> bool:
                    left = job.poll().operators["in"]["packets_out"]
                    if not looks or looks[-1][1] != left:
                        looks.append((time.monotonic(), left))
                    return time.monotonic() - looks[-1][0] > STANDS_S

                until(stands, "a source that waits", ended=over(job))
            finally:
                server.thaw()
            until(lambda: job.poll().operators["in"]["packets_out"] > looks[-1][1], "a row behind the break", ended=over(job))
            job.stop()
            assert job.wait().state == "stopped"
        until(lambda: len(found()) > looks[-1][1], "the rows behind the break")
        numbers = found()
        assert judged(len(set(numbers)), numbers, once=name not in AT_LEAST_ONCE) == []


@in_every
@pytest.mark.connector("iceberg", "absent")
def test_a_catalog_that_is_not_there_yet_is_waited_for(start: Start, tmp_path: Path) -> None:
    subject = SUBJECTS["iceberg"]
    with running(subject, tmp_path) as server:
        subject.send(server, range(COUNT))
        server.kill()
        run = Job(start, "iceberg", server, tmp_path).run()
        run.says("trying again")
        server.start()
        run.until(lambda: len(subject.found(server, tmp_path)) >= COUNT, "every number")
        run.interrupt(0)
        assert judged(COUNT, subject.found(server, tmp_path), once=True) == []


@in_every
@pytest.mark.connector("iceberg", "cut")
def test_connections_to_a_catalog_may_be_cut_at_any_byte(start: Start, tmp_path: Path) -> None:
    subject = SUBJECTS["iceberg"]
    with running(subject, tmp_path) as server:
        url = server.fields("numbers")["catalog"]["url"]
        with closing(Cutter(SimpleNamespace(port=urlsplit(url).port, url=url), *CUTS)) as cutter:
            ends = [end | {"catalog": end["catalog"] | {"url": cutter.url}} for end in subject.ends(server, tmp_path)]
            graph = write(tmp_path / "g.json", chain(("in", ends[0]), ("out", ends[1]), name="cut"))
            run = start("run", graph, "--state", tmp_path / "state", "--epoch-ms", "100")
            sent = 0
            while len(cutter.sent) <= len(CUTS):
                subject.send(server, range(sent, sent + COUNT))
                sent += COUNT
                run.until(lambda sent=sent: len(subject.found(server, tmp_path)) >= sent, "every number")  # type: ignore[misc]
            run.interrupt(0)
        assert judged(sent, subject.found(server, tmp_path), once=True) == []
