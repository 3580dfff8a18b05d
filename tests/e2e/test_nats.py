"""``nats_source`` with a server: what is read, and what is said where something is wrong."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Call
from e2e.runs import Read, refused
from support.certificates import certificate
from support.graphs import Fields, chain, write
from support.nats import Nats, source
from support.nats_script import ScriptedNats
from support.processes import free_port
from support.written import written_rows

COUNT = 300
DISCARDED: Fields = {"type": "discard_sink"}


@pytest.mark.parametrize(("form", "schema", "value", "row"), [
    ("json", "n BIGINT, s STRING", '{{"n": {0}, "s": "ä{0}"}}', {"n": 7, "s": "ä7"}),
    ("raw", None, "\x00{0}\xff", {"value": "ADfDvw=="}),
])
def test_every_message_is_a_row(call: Call, nats: Nats, stream: str, tmp_path: Path, form: str, schema: str | None, value: str,
                                row: Fields) -> None:
    nats.stream(stream)
    nats.send(stream, [value.format(number) for number in range(5 * COUNT)])
    fields = {"schema": schema} if schema else {}
    read = Read(call, tmp_path, source(nats, stream, format=form, **fields))
    assert read.ended.code == 0, read.ended.err
    assert len(read.rows) == 5 * COUNT
    assert read.rows[7] == row
    assert nats.state(stream).consumer_count == 0


def test_what_is_beside_the_value_becomes_columns_and_a_filter_leaves_messages_out(call: Call, nats: Nats, stream: str,
                                                                                 tmp_path: Path) -> None:
    nats.stream(stream, f"{stream}.>")
    nats.send(f"{stream}.north.t", ["1"], headers={"unit": "C", "b": ""})
    nats.send(f"{stream}.north.h", ["2"])
    nats.send(f"{stream}.south.t", ["3"])
    nats.send(f"{stream}.south.h", ["4"])
    metadata = {"subject": "s", "sequence": "q", "time": "at", "headers": "h"}
    read = Read(call, tmp_path, source(nats, stream, format="csv", schema="n BIGINT", subject=f"{stream}.*.t",
                                       metadata=metadata))
    assert read.ended.code == 0, read.ended.err
    assert all(row.pop("at").startswith("20") for row in read.rows)
    headers = read.rows[0].pop("h")
    assert sorted((each["key"], each["value"]) for each in headers) == [("b", ""), ("unit", "Qw==")]
    assert read.rows == [{"n": 1, "s": f"{stream}.north.t", "q": 1}, {"n": 3, "s": f"{stream}.south.t", "q": 3, "h": []}]
    none = Read(call, tmp_path, source(nats, stream, subject=f"{stream}.east.t"))
    assert none.rows == []
    assert "is none" not in none.ended.err
    other = Read(call, tmp_path, source(nats, stream, subject="other"))
    assert f"`subject` other is none that `stream` {stream} takes" in other.ended.err


def test_where_it_starts(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream)
    nats.send(stream, ["1", "2", "3"])
    between = nats.state(stream).last_seq
    assert between == 3
    assert Read(call, tmp_path, source(nats, stream, start={"type": "latest"})).rows == []
    for at, count in (("2020-01-01T00:00:00Z", 3), ("2099-01-01T00:00:00+01:00", 0)):
        assert len(Read(call, tmp_path, source(nats, stream, start={"type": "timestamp", "at": at})).rows) == count


@pytest.mark.connector("nats", "large")
def test_messages_that_are_larger_than_the_buffer(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream)
    sizes = [0, 1, 30_000, 30_000, 500_000, 1, 900_000, 900_000, 2]
    nats.send(stream, ["x" * size for size in sizes])
    read = Read(call, tmp_path, source(nats, stream, buffer_bytes=65_536))
    assert read.ended.code == 0, read.ended.err
    assert [len(row["value"]) for row in read.rows] == sizes


@pytest.mark.parametrize(("numbers", "gone"), [(range(1, 5_001), 0), (range(1, 1_001, 2), 0), (range(1, 11), 3)],
                         ids=["questions_answered_whole", "gaps", "an_end_that_is_removed"])
def test_a_server_of_today_is_asked_seldom(call: Call, tmp_path: Path, numbers: range, gone: int) -> None:
    with closing(ScriptedNats(numbers, gone)) as scripted:
        fields = {"type": "nats_source", "servers": scripted.url, "stream": "numbers", "format": "csv", "schema": "n BIGINT",
                  "stop_at": "end"}
        read = Read(call, tmp_path, fields)
    assert read.ended.code == 0, read.ended.err
    assert [row["n"] for row in read.rows] == list(numbers[:len(numbers) - gone])
    assert scripted.consumers == 1
    assert scripted.infos < 10


def test_a_message_that_the_client_cannot_read_is_told(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream)
    nats.send(stream, ["1", "2", "3"])
    nats.send(stream, ["4"], headers={"unit": "°C"})
    read = Read(call, tmp_path, source(nats, stream))
    assert read.ended.code == 1
    assert f"cannot read the message 4 of {stream}" in read.ended.err
    assert f"`nats stream rmm {stream} NUMBER`" in read.ended.err


@pytest.mark.connector("nats", "bad")
def test_bad_messages_have_their_place(call: Call, nats: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream)
    nats.send(stream, ['{"n": 1}', "no json", "", '{"n": 2}'])
    fields = source(nats, stream, format="json", schema="n BIGINT", on_error={"type": "dead_letter"})
    graph = chain(("in", fields), ("out", DISCARDED))
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "in.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    reasons = [row["reason"] for row in written_rows(tmp_path / "bad")]
    assert [reason.partition(":")[0] for reason in reasons] == [f"{stream}@{number}" for number in (2, 3)]
    assert "the record is empty" in reasons[1]


def all_ways(servers: str, **fields: Any) -> list[list[tuple[str, Fields]]]:
    """Graphs that connect to servers."""
    return [[("in", {"type": "nats_source", "servers": servers, "stream": "nowhere", "format": "text", **fields}),
             ("out", DISCARDED)]]


@pytest.mark.connector("nats", "missing")
def test_a_stream_that_is_not_there_is_told_at_once(call: Call, nats: Nats, tmp_path: Path) -> None:
    for operators in all_ways(nats.url):
        assert f"NATS at {nats.url} has no `stream` nowhere: it must be there" in refused(call, tmp_path, *operators).err


@pytest.mark.connector("nats", "absent")
def test_a_server_that_does_not_answer_is_told_soon(call: Call, tmp_path: Path) -> None:
    url = f"nats://127.0.0.1:{free_port()}"
    for operators in all_ways(url, connect_ms=500):
        assert f"`servers` {url} cannot be reached within 500 ms" in refused(call, tmp_path, *operators).err
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"nats://127.0.0.1:{silent.getsockname()[1]}"
        for operators in all_ways(url, connect_ms=300):
            assert f"`servers` {url} cannot be reached within 300 ms" in refused(call, tmp_path, *operators).err
    for operators in all_ways("nats://nowhere.invalid"):
        assert "a host of `servers` nats://nowhere.invalid is not known" in refused(call, tmp_path, *operators).err


@pytest.mark.connector("nats", "tried")
def test_servers_are_tried_and_nothing_is_made_there(call: Call, nats: Nats, guarded: Nats, stream: str, tmp_path: Path) -> None:
    nats.stream(stream)
    nats.send(stream, ["1", "2"])
    graph = write(tmp_path / "g.json", chain(("in", source(nats, stream)), ("out", DISCARDED)))
    tried = call("check", graph, "--connect")
    assert (tried.code, tried.err) == (0, "")
    assert f"in: ok, stream {stream} (2 messages) at {nats.url}" in tried.out
    assert nats.state(stream).consumer_count == 0
    for url, field, words in ((nats.url, "stream", "has no `stream` nowhere"), (guarded.url, "servers", "refuse the login")):
        write(tmp_path / "g.json", chain(("in", source(nats, "nowhere", servers=url)), ("out", DISCARDED)))
        tried = call("check", graph, "--connect")
        assert tried.code == 1
        assert words in tried.err
        assert f"(at /operators/in/{field}, operator in)" in tried.err


@pytest.mark.connector("nats", "schema")
def test_what_is_in_a_stream_becomes_a_source(call: Call, nats: Nats, stream: str) -> None:
    nats.stream(stream)
    empty = call("schema", f"{nats.url}/{stream}")
    assert empty.code == 2
    assert f"{stream} has no record" in empty.err
    nats.send(stream, ['{"celsius": 20.5, "device": "d1"}'])
    found = call("schema", f"{nats.url}/{stream}")
    assert json.loads(found.out) == {"type": "nats_source", "servers": nats.url, "stream": stream, "format": "json",
                                     "schema": "celsius DOUBLE,device STRING"}


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nats]:
    """A server with TLS, and its certificate in ``certificate.pem``."""
    folder = tmp_path_factory.mktemp("secure")
    tls = ssl.create_default_context(cafile=certificate(folder))
    certificate(folder, "other_")
    with Nats(folder, f'tls {{cert_file: "{folder}/certificate.pem", key_file: "{folder}/key.pem"}}\n', "tls", tls=tls) as server:
        yield server


@pytest.mark.connector("nats", "refused")
def test_tls_believes_whom_it_is_told_to(call: Call, secure: Nats, nats: Nats, tmp_path: Path) -> None:
    secure.stream("nowhere")
    secure.send("nowhere", ["a"])
    trust = {"trust": str(secure.folder / "certificate.pem")}
    read = Read(call, tmp_path, source(secure, "nowhere", tls=trust))
    assert len(read.rows) == 1, read.ended.err
    for tls in ({"tls": {"trust": str(secure.folder / "other_certificate.pem")}}, {}):
        for operators in all_ways(secure.url, **tls):
            assert f"no TLS with `servers` {secure.url}: " in refused(call, tmp_path, *operators).err
    named = secure.url.replace("127.0.0.1", "localhost")
    for operators in all_ways(named, tls=trust):
        assert f"no TLS with `servers` {named}: " in refused(call, tmp_path, *operators).err
    for operators in all_ways(secure.url.replace("tls:", "nats:")):
        assert "want TLS: write tls://" in refused(call, tmp_path, *operators).err
    for operators in all_ways(nats.url.replace("nats:", "tls:")):
        assert "have no TLS: write nats://" in refused(call, tmp_path, *operators).err


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nats]:
    """A server that wants a password, and lets a user do only some things."""
    users = """
accounts {
  plant {
    jetstream: enabled
    users: [{user: me, password: right},
            {user: guest, password: right, permissions: {publish: ["$JS.API.STREAM.INFO.*"], subscribe: ["_INBOX.>"]}}]
  }
}
"""
    with Nats(tmp_path_factory.mktemp("guarded"), users, user="me", password="right") as server:
        yield server


@pytest.mark.connector("nats", "refused")
def test_a_login_by_file(call: Call, guarded: Nats, tmp_path: Path) -> None:
    guarded.stream("nowhere")
    guarded.send("nowhere", ["a", "b"])
    (tmp_path / "right").write_text("right\n")
    (tmp_path / "wrong").write_text("wrong secret\n")
    login = {"user": "me", "password_file": str(tmp_path / "right")}
    assert len(Read(call, tmp_path, source(guarded, "nowhere", **login)).rows) == 2
    for operators in all_ways(guarded.url, **login | {"password_file": str(tmp_path / "wrong")}):
        ended = refused(call, tmp_path, *operators)
        assert f"`servers` {guarded.url} refuse the login: look at `user`" in ended.err
        assert "wrong secret" not in ended.err
    for operators in all_ways(guarded.url):
        assert "refuse the login: they want a `user`" in refused(call, tmp_path, *operators).err
    for operators in all_ways(guarded.url, connect_ms=1000, **login | {"user": "guest"}):
        assert f"NATS at {guarded.url} does not allow it: " in refused(call, tmp_path, *operators).err
