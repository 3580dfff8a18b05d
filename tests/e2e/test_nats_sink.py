"""``nats_sink``, and ``nats_source`` without a stream, with a server: what is written and heard, and what is wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from e2e.conftest import Call
from support.cutter import Cutter
from support.graphs import Fields, chain, rows, write
from support.nats import HELD_S, Nats, sink, source
from support.nats_keys import CREDENTIALS, PUBLIC, SEED, credentials
from support.processes import over, until

COUNT = 300
ATTEMPTS = 3
"""After so many that fail alike, a job fails."""
COLLECTED: Fields = {"type": "collect_sink"}


@pytest.mark.parametrize("delivery", ["by_epoch", "at_least_once", "without_state"])
@pytest.mark.connector("nats", "leftovers")
def test_every_row_is_a_message(call: Call, nats: Nats, stream: str, tmp_path: Path, delivery: str) -> None:
    nats.stream(stream, f"{stream}.>")
    fields = {} if delivery == "without_state" else {"delivery": delivery}
    headers = {"device": "concat('d', id)", "none": "CAST(NULL AS STRING)"}
    out = sink(nats, stream=stream, subject=f"{stream}.it's.{{device}}.ä", value=["id"], headers=headers, **fields)
    graph = write(tmp_path / "g.json", chain(("made", rows(COUNT, "id", "id % 5 AS device")), ("out", out), name=stream))
    ended = call("run", graph, *([] if delivery == "without_state" else ["--state", tmp_path / "state"]))
    assert ended.code == 0, ended.err
    found = nats.read(stream)
    assert [json.loads(message.data)["id"] for message in found] == list(range(COUNT))
    assert [message.subject for message in found[:6]] == [f"{stream}.it's.{number % 5}.ä" for number in range(6)]
    assert found[7].headers["device"] == "d7"
    assert set(found[7].headers) == {"device", "Nats-Msg-Id", "Nats-Expected-Stream"}
    assert len({message.headers["Nats-Msg-Id"] for message in found}) == COUNT
    if delivery == "by_epoch":
        leaves_a_mark_that_can_be_removed(call, nats, tmp_path / "state", graph)


def leaves_a_mark_that_can_be_removed(call: Call, nats: Nats, state: Path, graph: Path) -> None:
    marks = [message for message in nats.read("despina_epochs") if message.data.startswith(b"done ")]
    assert marks
    left = call("state", "servers", state, graph)
    assert left.code == 0, left.err
    assert "in stream despina_epochs the marker of " in left.out
    assert call("state", "servers", state, graph, "--remove").code == 0
    assert "no marker in stream despina_epochs" in call("state", "servers", state, graph).out


@pytest.mark.connector("nats", "bad")
def test_what_a_stream_does_not_take_goes_to_on_error(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream, f"{stream}.*", max_msg_size=1000)
    select = ("id", f"CASE id WHEN 1 THEN 'other' WHEN 2 THEN NULL WHEN 3 THEN '{stream}..a' WHEN 4 THEN '{stream}.*' "
              f"WHEN 9 THEN concat('{stream}.', repeat('y', 5000)) WHEN 10 THEN '$JS.API.STREAM.PURGE.{stream}' "
              f"ELSE concat('{stream}.', id % 2) END AS to", "IF(id = 5, '°C', 'C') AS unit",
              "IF(id = 6, repeat('x', 2000), CAST(id AS STRING)) AS text")
    out = sink(nats, stream=stream, subject_by="to", headers={"unit": "unit"}, value=["text"], format="text",
               on_error={"type": "dead_letter"})
    graph = chain(("made", rows(11, *select)), ("out", out), name=stream)
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "out.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    reasons = "".join(file.read_text() for file in (tmp_path / "bad").glob("part-*"))
    for words in (f"`stream` {stream} does not take the subject `other`", "where the row is sent to is NULL",
                  f"`{stream}..a` is no subject", f"`{stream}.*` is no subject", "the header `unit`", "takes at most 1000",
                  f"has {len(stream) + 5001} bytes, and servers take at most 4000", "no row may choose it"):
        assert reasons.count(words) == 1, (words, reasons)
    by_epoch = chain(("made", rows(11, *select)), ("out", out | {"on_error": {"type": "skip"}}), name=stream)
    ended = call("run", write(tmp_path / "g.json", by_epoch), "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    assert "8 skipped" in ended.err
    assert [message.data for message in nats.read(stream)] == [b"0", b"7", b"8"] * 2


@pytest.mark.connector("nats", "missing")
def test_a_stream_that_cannot_be_read_back_is_refused(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    wrong = {"retention": ("workqueue", "needs --retention limits"), "max_msgs_per_subject": (1, "--max-msgs-per-subject"),
             "no_ack": (True, "acknowledges nothing"), "duplicate_window": (1.0, "needs --dupe-window 5s")}
    for field, (value, words) in wrong.items():
        name = nats.stream(f"{stream}_{field}", **{field: value})
        out = sink(nats, stream=name, subject=name)
        graph = write(tmp_path / "g.json", chain(("made", rows(3, "id")), ("out", out), name=name))
        for arguments in (["run", graph, "--state", tmp_path / name], ["check", graph, "--connect"]):
            ended = call(*arguments)
            assert ended.code == 1, ended.err
            assert words in ended.err
    other = nats.stream(f"{stream}_other")
    graph = write(tmp_path / "g.json", chain(("made", rows(3, "id")), ("out", sink(nats, stream=other, subject="nobodys"))))
    assert f"`subject` nobodys is none that `stream` {other} takes" in call("run", graph).err
    marks = nats.stream(f"{stream}_marks")
    out = sink(nats, stream=other, subject=other, markers=marks)
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(3, "id")), ("out", out))), "--state", tmp_path / "m")
    assert f"`markers` {marks} is a stream in which marks get lost" in ended.err


def test_a_stream_that_takes_nothing_fails_the_job_in_time(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream, max_msgs=10, discard="new")
    out = sink(nats, stream=stream, subject=stream, retry_for_ms=500)
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(30, "id")), ("out", out), name=stream)), "--state",
                 tmp_path / "state")
    assert ended.code == 1, ended.err
    assert "has taken nothing for retry_for_ms=500" in ended.err
    assert "maximum messages exceeded" in ended.err
    assert ended.err.count("it tries again") <= ATTEMPTS, "told once by each"
    assert "answers again" not in ended.err
    assert [json.loads(message.data)["id"] for message in nats.read(stream)] == list(range(10))


@pytest.mark.connector("nats", "others")
def test_a_message_of_others_that_cannot_be_read_back_is_told(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream)
    out = sink(nats, stream=stream, subject=stream, max_in_flight=100)
    begun, ended = threading.Event(), threading.Event()

    async def disturb(client: Any) -> None:
        while not ended.is_set():
            await client.publish(stream, b"x", headers={"unit": "°C"})
            await client.flush()
            begun.set()

    disturbing = threading.Thread(target=nats.do, args=(disturb,))
    disturbing.start()
    assert begun.wait(HELD_S), "no other writer"
    with closing(Cutter(nats, 90_000)) as cutter:
        try:
            graph = write(tmp_path / "g.json", chain(("made", rows(4_000, "id")), ("out", out | {"servers": cutter.url}),
                                                     name=stream))
            run = call("run", graph, "--state", tmp_path / "state")
        finally:
            ended.set()
            disturbing.join()
    assert run.code == 1, run.err
    assert "NATS's client cannot read one of the messages behind " in run.err
    assert f"`nats stream rmm {stream} NUMBER`" in run.err


def test_a_job_that_was_idle_goes_on_by_another_connection(engine: Engine, nats: Nats, stream: str, tmp_path: Path) -> None:
    heard: Fields = {"type": "nats_source", "servers": nats.url, "subject": stream, "format": "text"}

    async def say(client: Any) -> None:
        await client.publish(stream, b"x")
        await client.flush()

    def arrives() -> bool:
        nats.do(say)
        return bool(found)

    with Nats(tmp_path / "server", streams=False) as away:
        out = sink(away, subject="a", format="text", retry_for_ms=50)
        with Graph.from_dict(chain(("in", heard), ("out", out))).start(engine, RunOptions()) as job:
            with away.listening("a") as found:
                until(arrives, "a message")
            away.kill()
            away.start()        # takes longer than the sink tries
            with away.listening("a") as found:
                until(arrives, "a message behind the loss")
            job.stop()
            job.wait()


def test_what_is_published_is_heard_and_what_is_heard_is_published(call: Call, engine: Engine, nats: Nats, stream: str,
                                                                  tmp_path: Path) -> None:
    fields: Fields = {"type": "nats_source", "servers": nats.url, "subject": f"{stream}.*.x", "format": "json",
                      "schema": "id BIGINT", "metadata": {"subject": "s", "time": "at", "headers": "h"}, "group": stream,
                      "parallelism": 2}
    with Graph.from_dict(chain(("in", fields), ("out", COLLECTED))).start(engine, RunOptions()) as job, \
            nats.listening(f"{stream}.>") as found:
        out = sink(nats, subject=f"{stream}.{{device}}.x", value=["id"], headers={"b": "CAST(id AS STRING)"})
        ended = call("run", write(tmp_path / "g.json", chain(("made", rows(COUNT, "id", "id % 3 AS device")), ("out", out))))
        assert ended.code == 0, ended.err
        until(lambda: len(found) == COUNT, f"{COUNT} messages")
        until(lambda: job.poll().operators["out"]["packets_in"] >= COUNT, f"{COUNT} rows", ended=over(job))
        job.stop()
        job.wait()
        taken = sorted(job.rows("out").to_pylist(), key=lambda row: row["id"])
    assert [json.loads(message.data)["id"] for message in found] == list(range(COUNT))
    assert [row["id"] for row in taken] == list(range(COUNT))
    assert taken[7]["s"] == f"{stream}.1.x"
    assert taken[7]["h"] == [{"key": "b", "value": b"7"}]
    assert taken[7]["at"].year >= 2026


@pytest.mark.connector("nats", "promise", "spark")
def test_what_it_promises_and_what_spark_lacks(call: Call, nats: Nats, tmp_path: Path) -> None:
    heard: Fields = {"type": "nats_source", "servers": nats.url, "subject": "a", "format": "text"}
    for operators, promises in (([("in", source(nats, "t")), ("out", sink(nats, stream="t", subject="t"))],
                                 ["replayable", "marked"]),
                                ([("in", heard), ("out", sink(nats, subject="t"))], ["without `stream`"])):
        graph = write(tmp_path / "g.json", chain(*operators))
        told = call("check", graph, "--guarantee", "--json")
        assert told.code == 0, told.err
        assert all(each in told.out for each in promises), told.out
        spark = call("check", graph, "--for", "spark")
        assert spark.code == 2
        assert "Spark has no source for NATS" in spark.err
        assert "Spark has no sink for NATS" in spark.err


@pytest.mark.connector("nats", "tried")
def test_servers_are_tried_for_a_sink(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream)
    for fields, words in (({"stream": stream, "subject": stream, "markers": "none_yet"},
                           f"stream {stream} (0 messages), stream none_yet for markers is made by a job with a state"),
                          ({"subject": "x"}, "the servers take the login")):
        graph = write(tmp_path / "g.json", chain(("made", rows(3, "id")), ("out", sink(nats, **fields))))
        tried = call("check", graph, "--connect")
        assert (tried.code, tried.err) == (0, "")
        assert words in tried.out
    assert "none_yet" not in nats.streams()


@pytest.mark.connector("nats", "stubbed")
def test_a_case_stubs_both(call: Call, nats: Nats, tmp_path: Path) -> None:
    heard: Fields = {"type": "nats_source", "servers": nats.url, "subject": "a", "format": "json", "schema": "n BIGINT"}
    write(tmp_path / "g.graph.json", chain(("in", heard), ("twice", {"type": "project", "select": ["2 * n AS n"]}),
                                           ("out", sink(nats, stream="t", subject="t"))))
    case: Fields = {"name": "doubled", "inputs": {"in": [{"n": 1}]}, "expect": {"out": [{"n": 2}]}}
    ended = call("test", write(tmp_path / "g.test.json", {"graph": "g.graph.json", "cases": [case]}))
    assert ended.code == 0, ended.err


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nats]:
    """A server that believes a key, and a user who may listen."""
    users = f"""
authorization {{
  users: [{{user: me, password: right}}, {{nkey: {PUBLIC}, permissions: {{publish: ["mine.>", "$JS.>"], subscribe: [">"]}}}}]
}}
"""
    with Nats(tmp_path_factory.mktemp("keyed"), users, user="me", password="right") as server:
        yield server


def written(call: Call, server: Nats, folder: Path, **login: str) -> list[str]:
    """What comes of three rows, and what is said."""
    with server.listening("mine.>") as found:
        graph = chain(("made", rows(3, "id")), ("out", sink(server, subject="mine.a", retry_for_ms=2000, **login)))
        ended = call("run", write(folder / "g.json", graph))
        if ended.code == 0:
            until(lambda: len(found) == 3, "three messages")
        return [message.data.decode() for message in found] if ended.code == 0 else [ended.err]


@pytest.mark.connector("nats", "refused")
def test_a_login_by_key(call: Call, keyed: Nats, tmp_path: Path) -> None:
    (tmp_path / "seed").write_text(f"{SEED}\n")
    (tmp_path / "wrong").write_text(SEED[:-1] + "A\n")
    login = {"credentials_file": str(tmp_path / "seed")}
    assert len(written(call, keyed, tmp_path, **login)) == 3
    told = written(call, keyed, tmp_path, credentials_file=str(tmp_path / "wrong"))[0]
    assert "`credentials_file` (or `credentials_env`) cannot be used: the seed is not whole" in told
    assert SEED[:-1] not in told
    assert "refuse the login: they want" in written(call, keyed, tmp_path)[0]
    out = sink(keyed, subject="theirs", **login)
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(3, "id")), ("out", out))))
    assert "does not allow it: Permissions Violation" in ended.err


@pytest.mark.connector("nats", "refused")
def test_a_login_by_token(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Nats(tmp_path / "server", 'authorization {token: "s3cret"}\n', token="s3cret") as server:
        (tmp_path / "token").write_text("s3cret\n")
        assert len(written(call, server, tmp_path, token_file=str(tmp_path / "token"))) == 3
        (tmp_path / "token").write_text("other\n")
        assert "refuse the login: look at the token" in written(call, server, tmp_path, token_file=str(tmp_path / "token"))[0]


@pytest.mark.connector("nats", "refused")
def test_a_login_by_credentials(call: Call, tmp_path: Path) -> None:
    config, text = credentials()
    (tmp_path / "me.creds").write_text(text)
    assert CREDENTIALS in text
    with Nats(tmp_path / "server", config, streams=False) as server:
        fields: Fields = {"type": "nats_sink", "servers": server.url, "subject": "a", "format": "json",
                          "credentials_file": str(tmp_path / "me.creds")}
        graph = write(tmp_path / "g.json", chain(("made", rows(3, "id")), ("out", fields)))
        ended = call("run", graph)
        assert ended.code == 0, ended.err
        tried = call("check", graph, "--connect")
        assert "the servers take the login" in tried.out
