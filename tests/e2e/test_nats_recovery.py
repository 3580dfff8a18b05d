"""Jobs between streams of NATS that are killed, and servers: each message is taken once, and each row is there once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.conftest import Start
from support.cutter import Cutter
from support.every import in_every
from support.graphs import Fields, chain, write
from support.nats import Nats, sink, source
from support.processes import Command, until
from support.written import written_lines

BATCH = 400
TWO: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
               "place": {"in": ["near"], "*": ["far"]}}


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nats]:
    """One that may be killed."""
    with Nats(tmp_path_factory.mktemp("server")) as made:
        yield made


class Kept:
    """A job that writes the numbers of a stream into files and into another stream, and keeps its state."""

    def __init__(self, start: Start, server: Nats, folder: Path, **fields: object) -> None:
        self._start = start
        self._server = server
        self._folder = folder
        self.sent = 0
        read = source(server, "numbers", format="csv", schema="n BIGINT", stop_at="never", **fields)
        out: Fields = {"type": "file_sink", "path": str(folder / "out"), "format": "csv", "roll_every_ms": 50}
        graph = chain(("in", read), ("out", out), name="kept")
        graph["operators"]["copied"] = sink(server, stream="copies", subject="copies.{n}", format="csv")
        graph["links"].append({"from": "in", "to": "copied"})
        self._graph = write(folder / "g.json", graph)

    def run(self, *options: str | Path) -> Command:
        """Starts it, or goes on with it."""
        return self._start("run", self._graph, "--state", self._folder / "state", "--epoch-ms", "50", *options)

    def send(self) -> None:
        """Writes so many more to the stream."""
        self._server.send("numbers.a", [str(number) for number in range(self.sent, self.sent + BATCH)])
        self._server.send("others", ["x"])
        self.sent += BATCH

    def shown(self) -> list[int]:
        """The numbers that are in the files."""
        return sorted(map(int, written_lines(self._folder / "out")))

    def is_complete(self, run: Command) -> None:
        """Waits until each number is there, once."""
        run.until(lambda: len(self.shown()) >= self.sent, "every number")
        assert self.shown() == list(range(self.sent))
        run.until(lambda: self._server.state("copies").messages >= self.sent, "every number in the other stream")
        assert [int(message.data) for message in self._server.read("copies")] == list(range(self.sent))


@pytest.mark.connector("nats", "jobs", "killed")
def test_each_message_is_taken_once_whatever_is_killed(start: Start, server: Nats, tmp_path: Path) -> None:
    server.stream("numbers", "numbers.*", "others")
    server.stream("copies", "copies.*")
    kept = Kept(start, server, tmp_path, subject="numbers.*")
    run = kept.run("--deployment", write(tmp_path / "two.json", TWO))
    kept.send()
    run.until(kept.shown, "a first row")
    os.kill(run.jvms("ResourceMain")[0], signal.SIGKILL)
    kept.send()
    run.until(lambda: len(kept.shown()) > BATCH, "a row behind the loss")
    kept.send()
    server.kill()
    run.says("it waits")
    server.start()
    run.says("answers again")
    kept.send()
    kept.is_complete(run)
    run.kill()
    kept.send()
    run = kept.run("--deployment", tmp_path / "two.json")
    kept.is_complete(run)
    run.interrupt(0)
    told = [line for line in run.err().splitlines() if "`in`" in line or "`copied`" in line]
    assert told == [], run.err()


@pytest.mark.connector("nats", "cut")
def test_what_a_connection_has_left_is_found_and_not_sent_again(start: Start, nats: Nats, tmp_path: Path) -> None:
    nats.stream("halves")
    after = (90_000, 200_000, 60_000)
    cutter = Cutter(nats, *after)
    numbers: Fields = {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 10 * BATCH}
    out = sink(nats, servers=cutter.url, stream="halves", subject="halves", format="csv", max_in_flight=100)
    try:
        ended = start("run", write(tmp_path / "g.json", chain(("in", numbers), ("out", out), name="halves")), "--state",
                      tmp_path / "state").end()
    finally:
        cutter.close()
    assert ended.code == 0, ended.err
    assert "has ended; it tries again" in ended.err
    assert [int(message.data) for message in nats.read("halves")] == list(range(10 * BATCH))
    assert cutter.sent[:len(after)] == list(after)
    message = len(nats.read("halves")[0].headers["Nats-Msg-Id"]) + 150
    assert sum(cutter.sent) < 1.1 * 10 * BATCH * message, "nearly nothing was sent twice"


@pytest.mark.connector("nats", "copies")
def test_a_sink_that_another_one_has_replaced_does_not_go_on(start: Start, server: Nats, tmp_path: Path) -> None:
    """As with a copy of the state folder: rows of both would be mixed, or left out. The next attempt takes the marks over."""
    server.stream("numbers", "numbers.*", "others")
    server.stream("copies", "copies.*")
    kept = Kept(start, server, tmp_path, subject="numbers.*")
    run = kept.run()
    kept.send()
    kept.is_complete(run)
    until(lambda: server.read("despina_epochs")[-1].data.startswith(b"done "), "the end of an epoch")
    mark = server.read("despina_epochs")[-1]
    server.send(mark.subject, [mark.data.rpartition(b" ")[0] + b" another"])
    kept.send()
    run.says("has taken over the outbox")
    kept.is_complete(run)
    run.interrupt(0)
    assert server.read("despina_epochs")[-1].data.rpartition(b" ")[2] not in (b"another", mark.data.rpartition(b" ")[2])


@pytest.mark.parametrize("on_gap", ["fail", "skip"])
@pytest.mark.connector("nats", "gone")
def test_what_the_stream_no_longer_has_is_told_with_both_numbers(start: Start, nats: Nats, tmp_path: Path, on_gap: str) -> None:
    stream = nats.stream(f"gap_{on_gap}")
    out: Fields = {"type": "file_sink", "path": str(tmp_path / "out"), "format": "csv"}

    def run(stop_at: str) -> Command:
        read = source(nats, stream, format="csv", schema="n BIGINT", on_gap=on_gap, stop_at=stop_at)
        return start("run", write(tmp_path / "g.json", chain(("in", read), ("out", out), name="gap")), "--state",
                     tmp_path / "state", "--epoch-ms", "50")

    def shown() -> list[int]:
        return sorted(map(int, written_lines(tmp_path / "out")))

    nats.send(stream, map(str, range(1, 11)))
    first = run("never")
    first.until(lambda: any('"11"' in manifest.read_text() for manifest in tmp_path.glob("state/*/epochs/*.manifest.json")),
                "an epoch with the ten messages")
    first.interrupt(0)
    nats.send(stream, map(str, range(11, 31)))
    nats.purge(stream, 26)
    ended = run("end").end()
    gap = f"the messages 11 to 25 of {stream} are gone: it begins at 26"
    assert gap in ended.err
    if on_gap == "fail":
        assert ended.code == 1
        assert '"on_gap": "skip"' in ended.err
    else:
        assert ended.code == 0, ended.err
        assert shown() == [*range(1, 11), *range(26, 31)]


@in_every
@pytest.mark.connector("nats", "slow")
def test_a_stream_that_is_larger_than_memory_goes_through_a_slow_job(start: Start, nats: Nats, tmp_path: Path) -> None:
    nats.stream("large")
    nats.send("large", ["x" * 20_000] * 6_000)
    slow: Fields = {"type": "relay", "work_us": 200}
    graph = write(tmp_path / "g.json", chain(("in", source(nats, "large", format="text", buffer_bytes=1 << 20)), ("slow", slow),
                                             ("out", {"type": "discard_sink"})))
    ended = start("run", graph, DESPINA_JAVA_OPTIONS="-Xmx120m -XX:+UseSerialGC").end()
    assert ended.code == 0, ended.err
    assert "out: 6,000 in" in ended.err
