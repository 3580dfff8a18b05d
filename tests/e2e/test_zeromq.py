"""``zeromq_source`` and ``zeromq_sink`` with peers of another code base: libzmq, by pyzmq."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from despina.job import Job
from e2e.conftest import Call
from support.graphs import Fields, chain, rows, write
from support.processes import free_port, over, until
from support.written import written_rows

zmq = pytest.importorskip("zmq", reason="the peer is of the extra dev")

COUNT = 300
COLLECTED: Fields = {"type": "collect_sink"}
DISCARDED: Fields = {"type": "discard_sink"}
WAIT_MS = 20_000
STILL_LOOKS = 10
"""A source without an end that has made no row between so many looks waits."""


@pytest.fixture
def peers() -> Iterator[Any]:
    """A context of libzmq's; what its sockets still have is dropped at the end."""
    context = zmq.Context()
    context.linger = 0
    try:
        yield context
    finally:
        context.destroy()


@pytest.fixture
def endpoint() -> str:
    """One that nobody has bound."""
    return f"tcp://127.0.0.1:{free_port()}"


def source(endpoint: str, kind: str = "pull", **fields: Any) -> Fields:
    return {"type": "zeromq_source", "endpoint": endpoint, "socket": kind, "format": "json", "schema": "n BIGINT", **fields}


def sink(endpoint: str, kind: str = "push", **fields: Any) -> Fields:
    return {"type": "zeromq_sink", "endpoint": endpoint, "socket": kind, "format": "json", **fields}


def opened(peers: Any, kind: int, endpoint: str, **options: Any) -> Any:
    """A socket that is bound there."""
    made = peers.socket(kind)
    made.setsockopt(zmq.RCVTIMEO, WAIT_MS)
    made.setsockopt(zmq.SNDTIMEO, WAIT_MS)
    for name, option in options.items():
        setattr(made, name, option)
    made.bind(endpoint)
    return made


def taken(job: Job, count: int) -> list[dict[str, Any]]:
    """The rows of a running job, which is stopped when it has so many."""
    until(partial(has_come, job, count), f"{count} rows", ended=over(job))
    job.stop()
    job.wait()
    found: list[dict[str, Any]] = job.rows("out").to_pylist()
    return found


def test_what_is_pushed_is_taken(engine: Engine, peers: Any, endpoint: str) -> None:
    fields = source(endpoint, metadata={"topic": "t", "time": "at"}, parallelism=2)
    graph = Graph.from_dict(chain(("in", fields), ("out", COLLECTED)))
    push = opened(peers, zmq.PUSH, endpoint)
    with graph.start(engine, RunOptions()) as job:
        for number in range(COUNT):
            push.send_multipart([b"topic", b'{"n": %d}' % number] if number % 3 else [b'{"n": %d}' % number])
        found = sorted(taken(job, COUNT), key=lambda row: row["n"])
    assert [row["n"] for row in found] == list(range(COUNT))
    assert [row["t"] for row in found[:4]] == [None, "topic", "topic", None]
    assert found[7]["at"].year >= 2026


def has_come(job: Job, count: int) -> bool:
    return bool(job.poll().operators["out"]["packets_in"] >= count)


def greeted(job: Job, push: Any) -> int:
    """Sends greetings until one has come: a handshake that stops is made again, and what was sent meanwhile may be lost.

    :return: how many rows have come
    """
    before = int(job.poll().operators["out"]["packets_in"])
    while True:
        push.send(b'{"n": -1}')
        with contextlib.suppress(AssertionError):
            until(partial(has_come, job, before + 1), "greeting", timeout_s=5, ended=over(job))
            return int(job.poll().operators["out"]["packets_in"])
        assert not over(job)(), over(job)()


@pytest.mark.connector("zeromq", "jobs", "phases")
def test_what_was_taken_is_in_a_job_that_goes_on(engine: Engine, peers: Any, endpoint: str, tmp_path: Path) -> None:
    out = {"type": "file_sink", "path": str(tmp_path / "out"), "format": "json"}
    graph = Graph.from_dict(chain(("in", source(endpoint, bind=True)), ("out", out), name="kept"))
    push = peers.socket(zmq.PUSH)
    push.connect(endpoint)
    modes: tuple[Literal["now", "drain", "flush"], ...] = ("now", "drain", "flush")
    for part, mode in enumerate(modes):
        with graph.start(engine, RunOptions(state=tmp_path / "state")) as job:
            came = greeted(job, push)
            for number in range(part * COUNT, part * COUNT + COUNT):
                push.send(b'{"n": %d}' % number)
            until(partial(has_come, job, came + COUNT), f"{COUNT} more rows", ended=over(job))
            job.stop(mode=mode)
            job.wait()
    found = [row["n"] for row in written_rows(tmp_path / "out")]
    assert sorted(number for number in found if number >= 0) == list(range(len(modes) * COUNT))


def test_what_is_published_reaches_who_subscribes(engine: Engine, peers: Any, endpoint: str) -> None:
    fields = source(endpoint, "sub", topics=["a.", "b"], metadata={"topic": "t"})
    graph = Graph.from_dict(chain(("in", fields), ("out", COLLECTED)))
    publish = opened(peers, zmq.XPUB, endpoint)
    with graph.start(engine, RunOptions()) as job:
        assert {publish.recv(), publish.recv()} == {b"\1a.", b"\1b"}
        for number in range(COUNT):
            publish.send_multipart([(b"a.x", b"b.x", b"c.x")[number % 3], b'{"n": %d}' % number])
        found = taken(job, COUNT * 2 // 3)
    assert [row["n"] for row in found] == [number for number in range(COUNT) if number % 3 < 2]
    assert [row["t"] for row in found[:2]] == ["a.x", "b.x"]


def test_each_row_is_a_message(call: Call, peers: Any, endpoint: str, tmp_path: Path) -> None:
    """Pushed to one that pulls, in order, with a topic and without."""
    pull = opened(peers, zmq.PULL, endpoint)
    for fields, topics in (({}, None), ({"topic": "d.{device}"}, ["d.0", "d.1"]), ({"topic": "alarms"}, ["alarms", "alarms"]),
                           ({"topic_by": "concat('e', device)"}, ["e0", "e1"])):
        out = sink(endpoint, value=["id"], **fields)
        ended = call("run", write(tmp_path / "g.json", chain(("made", rows(COUNT, "id", "id % 2 AS device")), ("out", out))))
        assert ended.code == 0, ended.err
        found = [pull.recv_multipart() for _ in range(COUNT)]
        assert [json.loads(message[-1])["id"] for message in found] == list(range(COUNT))
        assert [message[0].decode() for message in found[:2] if len(message) > 1] == (topics or [])


@pytest.mark.connector("zeromq", "slow")
def test_a_slow_subscriber_misses_messages_and_they_are_counted(call: Call, engine: Engine, peers: Any, endpoint: str,
                                                               tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = sink(endpoint, "pub", bind=True, high_water_mark=10, topic="t", linger_ms=0)
    gate = source(f"tcp://127.0.0.1:{free_port()}", bind=True)
    operators = {"gate": gate, "out": out, "many": {"type": "project", "select": ["n", "repeat('x', 1000000) AS text"]}}
    links = [{"from": "gate", "to": "many"}, {"from": "many", "to": "out"}]
    slow = peers.socket(zmq.SUB)
    slow.setsockopt(zmq.RCVHWM, 1)
    slow.subscribe(b"t")
    push = peers.socket(zmq.PUSH)
    graph = Graph.from_dict({"format": 1, "name": "slow", "operators": operators, "links": links})
    with graph.start(engine, RunOptions()) as job:
        slow.connect(endpoint)
        push.connect(gate["endpoint"])
        until(lambda: push.send(b'{"n": 1}') is None and slow.poll(100), "a message: it has subscribed", ended=over(job))
        for number in range(COUNT):
            push.send(b'{"n": %d}' % number)
        until(lambda: job.poll().operators["out"]["packets_in"] > COUNT, "all rows", ended=over(job))
        job.stop()
        job.wait()
    assert "messages did not go to all subscribers of" in capfd.readouterr().err


@pytest.mark.connector("zeromq", "absent")
def test_nobody_is_there(call: Call, endpoint: str, tmp_path: Path) -> None:
    graph = chain(("made", rows(2000, "id")), ("out", sink(endpoint, high_water_mark=10, retry_for_ms=300, linger_ms=0)))
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code != 0
    assert f"`endpoint` {endpoint} has taken nothing for retry_for_ms=300: no peer of {endpoint} takes a message" in ended.err


def test_messages_that_nobody_has_taken_are_told_at_the_end(call: Call, endpoint: str, tmp_path: Path) -> None:
    graph = chain(("made", rows(5, "id")), ("out", sink(endpoint, linger_ms=100)))
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    assert f"messages that {endpoint} has not taken within linger_ms=100 are lost" in ended.err


def test_messages_of_a_complete_epoch_that_nobody_has_taken_are_told_at_a_stop(engine: Engine, endpoint: str, tmp_path: Path,
                                                                              capfd: pytest.CaptureFixture[str]) -> None:
    out = sink(endpoint, linger_ms=100)
    graph = Graph.from_dict(chain(("made", rows(None, "id", rate_per_s=100)), ("out", out), name="kept"))
    with graph.start(engine, RunOptions(state=tmp_path / "state", epoch_ms=50)) as job:
        until(lambda: job.poll().operators["out"]["packets_in"] > 0, "rows", ended=over(job))
        job.stop()
        job.wait()
    assert f"messages that {endpoint} has not taken within linger_ms=100 are lost" in capfd.readouterr().err


@pytest.mark.connector("zeromq", "killed")
def test_a_peer_that_ends_and_comes_back_is_sent_to_again(engine: Engine, peers: Any, endpoint: str) -> None:
    pull = opened(peers, zmq.PULL, endpoint)
    graph = Graph.from_dict(chain(("made", rows(None, "id", rate_per_s=200)), ("out", sink(endpoint, linger_ms=0))))
    with graph.start(engine, RunOptions()) as job:
        first = json.loads(pull.recv())["id"]
        pull.close()
        again = until(partial(bound_again, peers, endpoint), "the endpoint", ended=over(job))
        assert json.loads(again.recv())["id"] > first
        job.stop(mode="now")
        job.wait()


def bound_again(peers: Any, endpoint: str) -> Any:
    """A socket that is bound where another one was, which ends in the background; None as long as it has not."""
    with contextlib.suppress(zmq.ZMQError):
        return opened(peers, zmq.PULL, endpoint)


@pytest.mark.connector("zeromq", "stands")
def test_a_source_waits_while_nobody_takes_what_the_sink_sends(engine: Engine, peers: Any, endpoint: str) -> None:
    """Its queue and the peer's are full then, and nothing is made any more."""
    pull = opened(peers, zmq.PULL, endpoint, rcvhwm=10)
    made = rows(None, "id", "repeat('x', 100000) AS text")
    graph = Graph.from_dict(chain(("made", made), ("out", sink(endpoint, high_water_mark=10, linger_ms=0))))
    with graph.start(engine, RunOptions()) as job:
        left = until(partial(stands, job, []), "a source that waits", ended=over(job))
        assert left < 100_000
        for _ in range(left):
            pull.recv()
        until(lambda: job.poll().operators["made"]["packets_out"] > left, "more rows", ended=over(job))
        job.stop(mode="now")
        job.wait()


def stands(job: Job, looks: list[int]) -> int:
    """How many rows have left the source, if there were no more at the last looks; else 0."""
    looks.append(job.poll().operators["made"]["packets_out"])
    return looks[-1] if looks[-1:] * STILL_LOOKS == looks[-STILL_LOOKS:] else 0


@pytest.mark.connector("zeromq", "missing")
def test_an_endpoint_that_is_taken(call: Call, peers: Any, endpoint: str, tmp_path: Path) -> None:
    taken_by = opened(peers, zmq.PULL, endpoint)
    ended = call("run", write(tmp_path / "g.json", chain(("in", source(endpoint, bind=True)), ("out", DISCARDED))))
    assert ended.code != 0
    assert f"`endpoint` {endpoint} cannot be bound: another process may use the port" in ended.err
    taken_by.close()


@pytest.mark.connector("zeromq", "bad", "large")
def test_a_message_of_three_frames_and_one_that_is_none(engine: Engine, peers: Any, endpoint: str) -> None:
    graph = chain(("in", source(endpoint, max_record_bytes=100, on_error={"type": "dead_letter"})), ("out", COLLECTED))
    graph["operators"]["bad"] = COLLECTED
    graph["links"].append({"from": "in.errors", "to": "bad"})
    push = opened(peers, zmq.PUSH, endpoint)
    with Graph.from_dict(graph).start(engine, RunOptions()) as job:
        push.send_multipart([b"topic", b'{"n": 1}', b'{"n": 2}'])
        push.send_multipart([b"topic", b"no json"])
        push.send(b"x" * 101)
        push.send(b"\xff")
        push.send_multipart([b"", b'{"n": 3}'])
        assert [row["n"] for row in taken(job, 1)] == [3]
        bad = job.rows("bad").to_pylist()
    assert "the message has 3 frames: one is read, or two, of which the first is its topic" in str(bad[0])
    assert "topic" in str(bad[1])
    assert "longer than max_record_bytes=100" in str(bad[2])
    assert len(bad) == 4


class Keys:
    """Two pairs."""

    def __init__(self, folder: Path) -> None:
        (self.public, self.secret), (self.other, _) = zmq.curve_keypair(), zmq.curve_keypair()
        self.file = folder / "secret"
        self.file.write_bytes(self.secret + b"\n")


@pytest.fixture
def ours(tmp_path: Path) -> Keys:
    if not zmq.has("curve"):
        pytest.skip("libzmq has no CURVE here")
    return Keys(tmp_path)


@pytest.mark.connector("zeromq", "refused")
def test_only_those_with_a_key_may_come(engine: Engine, peers: Any, endpoint: str, ours: Keys) -> None:
    public, secret = zmq.curve_keypair()
    fields = source(endpoint, bind=True, secret_key_file=str(ours.file), client_keys=[public.decode()])
    with Graph.from_dict(chain(("in", fields), ("out", COLLECTED))).start(engine, RunOptions()) as job:
        for keys, text in (((ours.public, ours.secret), b'{"n": 1}'), ((public, secret), b'{"n": 2}')):
            push = peers.socket(zmq.PUSH)
            push.curve_serverkey, (push.curve_publickey, push.curve_secretkey) = ours.public, keys
            push.connect(endpoint)
            push.send(text)
        open_one = peers.socket(zmq.PUSH)
        open_one.connect(endpoint)
        open_one.send(b'{"n": 3}')
        assert [row["n"] for row in taken(job, 1)] == [2]


@pytest.mark.connector("zeromq", "refused")
def test_a_peer_with_keys(call: Call, peers: Any, endpoint: str, ours: Keys, tmp_path: Path) -> None:
    public, secret = zmq.curve_keypair()
    pull = opened(peers, zmq.PULL, endpoint, curve_secretkey=secret, curve_server=True)
    right = {"server_key": public.decode(), "secret_key_file": str(ours.file)}
    graph = chain(("made", rows(3, "id")), ("out", sink(endpoint, **right)))
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    assert [json.loads(pull.recv())["id"] for _ in range(3)] == [0, 1, 2]
    for keys, words in ((right | {"server_key": ours.other.decode()}, "look at the kinds of both sockets, at `server_key`"),
                        ({}, "whether the peer wants keys")):
        few = sink(endpoint, high_water_mark=1, retry_for_ms=6000, linger_ms=0, **keys)
        ended = call("run", write(tmp_path / "g.json", chain(("made", rows(100, "id")), ("out", few))))
        assert ended.code != 0
        assert f"{endpoint} ends each connection at once" in ended.err
        assert words in ended.err
        assert ours.secret.decode() not in ended.err
    (tmp_path / "secret").write_text("short")
    ended = call("run", write(tmp_path / "g.json", graph))
    assert "`secret_key_env` (or `secret_key_file`) holds no key" in ended.err


@pytest.mark.connector("zeromq", "tried")
def test_peers_are_tried(call: Call, peers: Any, endpoint: str, ours: Keys, tmp_path: Path) -> None:
    public, secret = zmq.curve_keypair()
    with_keys = f"tcp://127.0.0.1:{free_port()}"
    push = opened(peers, zmq.PUSH, endpoint)
    other_push = opened(peers, zmq.PUSH, with_keys, curve_secretkey=secret, curve_server=True)
    keys = {"server_key": public.decode(), "secret_key_file": str(ours.file)}
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        nobody = f"tcp://127.0.0.1:{free_port()}"
        silent = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        for fields, words in (({"endpoint": endpoint}, f"a peer with no keys at {endpoint}"),
                              ({"endpoint": with_keys} | keys, f"a peer with keys at {with_keys}"),
                              ({"endpoint": with_keys}, "the peer wants keys (CURVE), and the graph has no `server_key`"),
                              ({"endpoint": endpoint} | keys, "the peer takes no keys, and the graph has `server_key`"),
                              ({"endpoint": nobody}, f"`endpoint` {nobody} does not answer: Connection refused"),
                              ({"endpoint": silent}, f"`endpoint` {silent} does not answer: Read timed out"),
                              ({"endpoint": endpoint, "bind": True}, "cannot be bound: another process may use the port"),
                              ({"endpoint": nobody, "bind": True}, f"{nobody} can be bound")):
            graph = write(tmp_path / "g.json", chain(("in", source(**fields)), ("out", DISCARDED)))
            tried = call("check", graph, "--connect")
            assert words in tried.out + tried.err
    # none of the tries has become a peer, so nobody would take it
    assert not push.poll(0, zmq.POLLOUT)
    other_push.close()


@pytest.mark.connector("zeromq", "promise", "spark")
def test_what_it_promises_and_what_spark_lacks(call: Call, endpoint: str, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(("in", source(endpoint)), ("out", sink(endpoint))))
    told = call("check", graph, "--guarantee", "--json")
    assert told.code == 0, told.err
    assert told.out.count("ZeroMQ tells nobody what has come") == 2
    spark = call("check", graph, "--for", "spark")
    assert spark.code == 2
    assert "Spark has no source for ZeroMQ" in spark.err
    assert "Spark has no sink for ZeroMQ" in spark.err


@pytest.mark.connector("zeromq", "stubbed")
def test_a_case_stubs_both(call: Call, endpoint: str, tmp_path: Path) -> None:
    write(tmp_path / "g.graph.json", chain(("in", source(endpoint)), ("twice", {"type": "project", "select": ["2 * n AS n"]}),
                                           ("out", sink(endpoint))))
    case: Fields = {"name": "doubled", "inputs": {"in": [{"n": 1}]}, "expect": {"out": [{"n": 2}]}}
    ended = call("test", write(tmp_path / "g.test.json", {"graph": "g.graph.json", "cases": [case]}))
    assert ended.code == 0, ended.err
