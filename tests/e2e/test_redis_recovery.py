"""Jobs between streams of Redis that are killed, and servers: each entry is taken once, and each row is there once."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from e2e.conftest import Call, Start
from support.cutter import Cutter
from support.graphs import Fields, chain, rows, write
from support.processes import Command
from support.redis_servers import Redis, sink, source
from support.written import written_lines

COUNT = 300
TWO: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
               "place": {"in": ["near"], "*": ["far"]}}


def has_reached(folder: Path, place: str) -> bool:
    """Whether an epoch says that the source is there. The oldest one may be removed just now."""
    for manifest in folder.glob("state/*/epochs/*.manifest.json"):
        with suppress(FileNotFoundError):
            if f'"{place}"' in manifest.read_text():
                return True
    return False


@pytest.mark.parametrize("on_gap", ["fail", "skip"])
@pytest.mark.connector("redis", "gone")
def test_what_was_trimmed_is_told_with_both_ids(start: Start, redis: Redis, tmp_path: Path, on_gap: str) -> None:
    stream = f"gap_{on_gap}"
    out: Fields = {"type": "file_sink", "path": str(tmp_path / "out"), "format": "csv"}

    def run(stop_at: str) -> Command:
        fields = source(redis, stream, format="csv", schema="n BIGINT", on_gap=on_gap, stop_at=stop_at)
        return start("run", write(tmp_path / "g.json", chain(("in", fields), ("out", out), name="gap")), "--state",
                     tmp_path / "state", "--epoch-ms", "50")

    with redis.client() as client:
        for number in range(1, 11):
            client.xadd(stream, {"value": number}, id=f"{number}-0")
        first = run("never")
        first.until(lambda: has_reached(tmp_path, "10-0/10"), "an epoch with the ten entries")
        first.interrupt(0)
        for number in range(11, 31):
            client.xadd(stream, {"value": number}, id=f"{number}-0")
        client.xtrim(stream, minid="26-0", approximate=False)
    ended = run("end").end()
    assert f"15 entries of {stream} behind 10-0 are gone: it begins at 26-0" in ended.err
    if on_gap == "fail":
        assert ended.code == 1
        assert '"on_gap": "skip"' in ended.err
    else:
        assert ended.code == 0, ended.err
        assert sorted(map(int, written_lines(tmp_path / "out"))) == [
            *range(1, 11), *range(26, 31)]


@pytest.mark.parametrize(("count", "kept"), [(40, 20), (20, 20)])
@pytest.mark.connector("redis", "gone")
def test_a_stream_that_was_made_anew_is_told(start: Start, redis: Redis, tmp_path: Path, count: int, kept: int) -> None:
    stream = f"anew_{count}"
    graph = write(tmp_path / "g.json", chain(("in", source(redis, stream, format="csv", schema="n BIGINT", stop_at="never")),
                                             ("out", {"type": "discard_sink"}), name="anew"))
    run = start("run", graph, "--state", tmp_path / "state", "--epoch-ms", "50")
    with redis.client() as client:
        for number in range(1, 31):
            client.xadd(stream, {"value": number}, id=f"{number}-0")
        run.until(lambda: has_reached(tmp_path, "30-0/30"), "an epoch with the entries")
        with client.pipeline() as pipe:
            pipe.delete(stream)
            for number in range(count):
                pipe.xadd(stream, {"value": number}, id=f"{number + 100}-0")
            pipe.xtrim(stream, maxlen=kept, approximate=False)
            pipe.execute()
    run.says(f"`streams`: {stream} has had {count} entries, and `in` had read 30 of it, to 30-0: it was removed and made anew")
    run.kill()


def test_a_stream_that_was_made_anew_is_read_whole_where_gaps_are_skipped(start: Start, redis: Redis, tmp_path: Path) -> None:
    """Its ids begin before the place where the source was, and may end there too."""
    stream = "anew_whole"
    read = source(redis, stream, format="csv", schema="n BIGINT", on_gap="skip", stop_at="never")
    out: Fields = {"type": "file_sink", "path": str(tmp_path / "out"), "format": "csv"}
    graph = write(tmp_path / "g.json", chain(("in", read), ("out", out), name="whole"))
    run = start("run", graph, "--state", tmp_path / "state", "--epoch-ms", "50")
    sent = 0
    with redis.client() as client:
        for first, count in ((1, 30), (25, 20), (1, 9)):
            with client.pipeline() as pipe:
                pipe.delete(stream)
                for number in range(count):
                    pipe.xadd(stream, {"value": sent + number}, id=f"{first + number}-0")
                pipe.execute()
            sent += count
            place = f"{first + count - 1}-0/{count}"
            run.until(partial(has_reached, tmp_path, place), f"an epoch at {place}")
    run.interrupt(0)
    found = list(map(int, written_lines(tmp_path / "out")))
    assert sorted(found) == list(range(sent))


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """One that may be killed."""
    with Redis(tmp_path_factory.mktemp("server")) as made:
        yield made


class Kept:
    """A job that writes the entries of one stream into another, and keeps its state."""

    def __init__(self, start: Start, server: Redis, folder: Path) -> None:
        self._start = start
        self._server = server
        self._folder = folder
        self.sent = 0
        read = source(server, "in", format="csv", schema="n BIGINT", stop_at="never")
        graph = chain(("in", read), ("out", sink(server, stream="out", format="csv")), name="kept")
        self._graph = write(folder / "g.json", graph)

    def run(self, *options: str | Path) -> Command:
        """Starts it, or goes on with it."""
        return self._start("run", self._graph, "--state", self._folder / "state", "--epoch-ms", "50", *options)

    def send(self) -> None:
        """Adds so many more."""
        self._server.send("in", [str(number) for number in range(self.sent, self.sent + COUNT)])
        self.sent += COUNT

    def shown(self, run: Command, count: int) -> None:
        """Waits for so many entries."""
        run.until(lambda: len(self._server.read("out")) >= count, f"{count} entries")

    def is_complete(self, run: Command) -> None:
        """Waits until each number is there, once."""
        self.shown(run, self.sent)
        assert [int(entry[b"value"]) for entry in self._server.read("out")] == list(range(self.sent)), run.err()


@pytest.mark.connector("redis", "jobs", "killed")
def test_each_entry_is_taken_and_written_once_whatever_is_killed(start: Start, server: Redis, tmp_path: Path) -> None:
    kept = Kept(start, server, tmp_path)
    two = write(tmp_path / "two.json", TWO)
    run = kept.run("--deployment", two)
    kept.send()
    kept.shown(run, 1)
    os.kill(run.jvms("ResourceMain")[-1], signal.SIGKILL)
    kept.send()
    kept.is_complete(run)
    kept.send()
    server.kill()
    run.says("it waits")
    server.start()
    run.says("answers again")
    kept.send()
    kept.is_complete(run)
    run.kill()
    kept.send()
    run = kept.run("--deployment", two)
    kept.is_complete(run)
    run.interrupt(0)


@pytest.mark.connector("redis", "copies")
def test_a_sink_that_another_one_has_replaced_does_not_go_on(start: Start, server: Redis, tmp_path: Path) -> None:
    """As with a copy of the state folder: rows of both would be mixed, or left out. The next attempt takes the mark over."""
    kept = Kept(start, server, tmp_path)
    run = kept.run()
    kept.send()
    kept.is_complete(run)
    with server.client() as client:
        key, = client.keys("despina_epochs:*")
        mark = run.until(lambda: (found := client.get(key)).split()[1] == b"all" and found, "the end of an epoch")
        client.set(key, mark.rpartition(b" ")[0] + b" another")
        kept.send()
        run.says("another attempt of the job, or another job, has changed the key `despina_epochs:")
        kept.is_complete(run)
        run.interrupt(0)
        assert client.get(key).rpartition(b" ")[2] not in (b"another", mark.rpartition(b" ")[2])


def test_a_server_that_takes_nothing_fails_the_job_in_time(call: Call, server: Redis, tmp_path: Path) -> None:
    with server.client() as client:
        client.config_set("maxmemory", 1)
    for number, state in enumerate((["--state", tmp_path / "state"], [])):
        out = sink(server, stream="out", retry_for_ms=300)
        ended = call("run", write(tmp_path / "g.json", chain(("made", rows(30, "id")), ("out", out), name=f"n{number}")), *state)
        assert ended.code == 1, ended.err
        assert f"`server` {server.url} has taken nothing for retry_for_ms=300" in ended.err
        assert "OOM" in ended.err
        assert "answers again" not in ended.err
    assert server.read("out") == []


@pytest.mark.parametrize("delivery", ["by_epoch", "at_least_once"])
@pytest.mark.connector("redis", "cut")
def test_what_a_connection_has_left_is_written_once_and_bad_rows_are_told_once(call: Call, redis: Redis, tmp_path: Path,
                                                                            delivery: str) -> None:
    stream = f"halves_{delivery}"
    with redis.client() as client:
        client.set(f"{stream}:text", "x")
    select = ("id", f"IF(id % 400 = 5, '{stream}:text', '{stream}') AS to")
    after = (60_000, 150_000, 30_000, 90_000)
    cutter = Cutter(redis, *after)
    out = sink(redis, stream_by="to", value=["id"], delivery=delivery, on_error={"type": "skip"}) | {"server": cutter.url}
    graph = chain(("made", rows(10 * COUNT, *select)), ("out", out), name=stream)
    try:
        ended = call("run", write(tmp_path / "g.json", graph), "--state", tmp_path / "state", "--epoch-ms", "60000")
    finally:
        cutter.close()
    assert ended.code == 0, ended.err
    assert "it tries again" in ended.err
    assert "8 skipped" in ended.err
    written = [json.loads(entry[b"value"])["id"] for entry in redis.read(stream)]
    wanted = [number for number in range(10 * COUNT) if number % 400 != 5]
    assert (written if delivery == "by_epoch" else list(dict.fromkeys(written))) == wanted
    assert cutter.sent[:len(after)] == list(after)
