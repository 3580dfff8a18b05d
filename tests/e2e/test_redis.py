"""``redis_source`` and ``redis_sink`` with a server: what is read and written, and what is said where something is wrong."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Call
from support.certificates import certificate
from support.graphs import Fields, chain, rows, write
from support.processes import free_port
from support.redis_servers import Redis, sink, source
from support.written import written_rows

COUNT = 300
DISCARDED: Fields = {"type": "discard_sink"}
RIGHTS = [*(f"+{command}" for command in ("eval", "xinfo", "xrange", "xread", "type", "xadd", "xdel", "get", "set", "del")),
          "+config|get", "+ping"]
"""Those that the documentation names, and one by which the test asks whether the server has started."""


def read(call: Call, folder: Path, fields: Fields) -> list[Any]:
    """What a source gives into a file."""
    graph = chain(("in", fields), ("out", {"type": "file_sink", "path": str(folder / "out"), "format": "json",
                                           "if_exists": "replace"}), name="read")
    ended = call("run", write(folder / "read.graph.json", graph))
    assert ended.code == 0, ended.err
    return written_rows(folder / "out")


def test_every_entry_is_a_row(call: Call, redis: Redis, stream: str, tmp_path: Path) -> None:
    redis.send(stream, [json.dumps({"n": number}) for number in range(10 * COUNT)], unit="C")
    redis.send(f"{stream}2", ["{}"])
    fields = source(redis, stream, f"{stream}2", f"{stream}3", format="json", schema="n BIGINT",
                    metadata={"stream": "s", "id": "i", "time": "at", "fields": "f"})
    found = read(call, tmp_path, fields)
    assert [row["n"] for row in found if row["s"] == stream] == list(range(10 * COUNT))
    assert [row["s"] for row in found if row["s"] != stream] == [f"{stream}2"]
    assert len(found) == 10 * COUNT + 1
    assert found[7]["f"] == [{"key": "unit", "value": "Qw=="}]
    with redis.client() as client:
        ids = [entry.decode() for entry, _ in client.xrange(stream)]
        assert client.xinfo_groups(stream) == []
    assert [row["i"] for row in found if row["s"] == stream] == ids
    assert all(row["at"].startswith("20") for row in found)


def test_where_it_starts_and_what_is_none(call: Call, redis: Redis, stream: str, tmp_path: Path) -> None:
    with redis.client() as client:
        for number in range(1, 6):
            client.xadd(stream, {"value": number} if number != 3 else {"other": "x"}, id=f"{number}000-1")
        client.xtrim(stream, minid="2000-1", approximate=False)
    assert [row["value"] for row in read(call, tmp_path, source(redis, stream, on_error={"type": "skip"}))] == ["2", "4", "5"]
    at = {"type": "timestamp", "at": "1970-01-01T00:00:04Z"}
    assert [row["value"] for row in read(call, tmp_path, source(redis, stream, start=at))] == ["4", "5"]
    assert read(call, tmp_path, source(redis, stream, start={"type": "latest"})) == []
    ended = call("run", write(tmp_path / "g.json", chain(("in", source(redis, stream)), ("out", DISCARDED))))
    assert f"{stream}@3000-1: the entry has no field `value`" in ended.err


@pytest.mark.parametrize("delivery", ["by_epoch", "at_least_once", "without_state"])
@pytest.mark.connector("redis", "leftovers")
def test_every_row_is_an_entry(call: Call, redis: Redis, stream: str, tmp_path: Path, delivery: str) -> None:
    fields = {} if delivery == "without_state" else {"delivery": delivery}
    out = sink(redis, stream=f"{stream}:{{device}}", value=["id"], field="v", fields={"d": "concat('d', id)",
               "none": "CAST(NULL AS STRING)"}, max_length=100_000, **fields)
    count = 10 * COUNT
    graph = write(tmp_path / "g.json", chain(("made", rows(count, "id", "id % 2 AS device")), ("out", out), name=stream))
    ended = call("run", graph, *([] if delivery == "without_state" else ["--state", tmp_path / "state"]))
    assert ended.code == 0, ended.err
    for device in range(2):
        found = redis.read(f"{stream}:{device}")
        assert [json.loads(entry[b"v"])["id"] for entry in found] == list(range(device, count, 2))
        assert found[3] == {b"v": found[3][b"v"], b"d": f"d{6 + device}".encode()}
    if delivery == "by_epoch":
        asked = ("state", "servers", tmp_path / "state", graph)
        assert "the key despina_epochs:" in call(*asked).out
        assert call(*asked, "--remove").code == 0
        assert "no marker at redis://" in call(*asked).out


@pytest.mark.connector("redis", "bad")
def test_what_is_no_entry_goes_to_on_error(call: Call, redis: Redis, stream: str, tmp_path: Path) -> None:
    with redis.client() as client:
        client.set(f"{stream}:text", "x")
    select = ("id", f"CASE id WHEN 1 THEN '{stream}:text' WHEN 2 THEN NULL ELSE '{stream}' END AS to",
              "IF(id = 3, NULL, CAST(CAST(id AS STRING) AS BINARY)) AS bytes")
    out = sink(redis, stream_by="to", value=["bytes"], format="raw", on_error={"type": "dead_letter"})
    graph = chain(("made", rows(6, *select)), ("out", out), name=stream)
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "out.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    reasons = "".join(file.read_text() for file in (tmp_path / "bad").glob("part-*"))
    for words in (f"the key `{stream}:text` is no stream: it holds a string", "where the row is sent to is NULL",
                  "has neither a value nor a field"):
        assert reasons.count(words) == 1, reasons
    by_epoch = chain(("made", rows(6, *select)), ("out", out | {"on_error": {"type": "skip"}}), name=stream)
    ended = call("run", write(tmp_path / "g.json", by_epoch), "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    assert "3 skipped" in ended.err
    assert [entry[b"value"] for entry in redis.read(stream)] == [b"0", b"4", b"5"] * 2


@pytest.mark.connector("redis", "missing", "absent")
def test_what_is_wrong_with_a_server_is_told(call: Call, redis: Redis, stream: str, tmp_path: Path) -> None:
    with redis.client() as client:
        client.set(stream, "x")
    url = f"redis://127.0.0.1:{free_port()}"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        quiet = f"redis://127.0.0.1:{silent.getsockname()[1]}"
        cases: list[tuple[Fields, str]] = [
            ({"server": url, "connect_ms": 500}, f"`server` {url} cannot be reached within 500 ms"),
            ({"server": quiet, "connect_ms": 300}, f"`server` {quiet} cannot be reached within 300 ms"),
            ({"server": "redis://nowhere.invalid"}, "the host of `server` redis://nowhere.invalid is not known"),
            ({}, "WRONGTYPE")]
        for fields, words in cases:
            ended = call("run", write(tmp_path / "g.json", chain(("in", source(redis, stream) | fields), ("out", DISCARDED))))
            assert ended.code == 1
            assert words in ended.err
            out = sink(redis, stream=stream) | fields
            ended = call("run", write(tmp_path / "g.json", chain(("made", rows(3, "id")), ("out", out))))
            assert ended.code == 1
            assert (words if fields else f"the key `{stream}` is no stream") in ended.err


@pytest.mark.connector("redis", "tried", "refused")
def test_a_login_and_what_is_tried_before(call: Call, tmp_path: Path) -> None:
    rights = ["--user", "me", "on", ">right", "~*", "-@all", *RIGHTS, "--user", "default", "off"]
    with Redis(tmp_path / "server", *rights, "--appendfsync", "everysec", username="me", password="right") as server:
        server.send("s", ["a", "b"])
        (tmp_path / "right").write_text("right\n")
        (tmp_path / "wrong").write_text("wrong secret\n")
        login = {"user": "me", "password_file": str(tmp_path / "right")}
        assert len(read(call, tmp_path, source(server, "s", **login))) == 2
        graph = write(tmp_path / "g.json", chain(("in", source(server, "s", **login)),
                                                 ("out", sink(server, stream="t", **login))))
        tried = call("check", graph, "--connect")
        assert (tried.code, tried.err) == (0, "")
        assert f"in: ok, stream s (2 entries) at {server.url}" in tried.out
        assert "it may lose what it has acknowledged when its machine fails" in tried.out
        assert server.read("t") == []
        write(tmp_path / "g.json", chain(("in", source(server, "s", user="me", password_file=str(tmp_path / "wrong"))),
                                         ("out", sink(server, stream="t"))))
        tried = call("check", graph, "--connect")
        assert "refuses the login: look at `user`" in tried.err
        assert "refuses the login: it wants a password" in tried.err
        assert "wrong secret" not in tried.err


@pytest.mark.connector("redis", "promise", "spark", "stubbed")
def test_what_it_promises_what_spark_lacks_and_what_a_case_stubs(call: Call, redis: Redis, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.graph.json", chain(("in", source(redis, "a", format="json", schema="n BIGINT")),
                                                   ("twice", {"type": "project", "select": ["2 * n AS n"]}),
                                                   ("out", sink(redis, stream="b"))))
    told = call("check", graph, "--guarantee", "--json")
    assert "replayable" in told.out
    assert "marked" in told.out
    spark = call("check", graph, "--for", "spark")
    assert "Spark has no source for Redis" in spark.err
    assert "Spark has no sink for Redis" in spark.err
    case: Fields = {"name": "doubled", "inputs": {"in": [{"n": 1}]}, "expect": {"out": [{"n": 2}]}}
    ended = call("test", write(tmp_path / "g.test.json", {"graph": "g.graph.json", "cases": [case]}))
    assert ended.code == 0, ended.err


@pytest.mark.connector("redis", "large")
def test_an_entry_of_15_mb_passes_and_one_of_17_is_bad(call: Call, redis: Redis, stream: str, tmp_path: Path) -> None:
    sizes = [15_000_000, 17_000_000, 1]
    redis.send(stream, ["x" * size for size in sizes])
    fields = source(redis, stream, format="text", max_record_bytes=16_000_000, on_error={"type": "dead_letter"})
    graph = chain(("in", fields), ("out", sink(redis, stream=f"{stream}2", format="text")), name="large")
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "in.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph), "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    assert [len(entry[b"value"]) for entry in redis.read(f"{stream}2")] == [15_000_000, 1]
    letter, = written_rows(tmp_path / "bad")
    assert letter["reason"].startswith(f"{stream}@")
    assert "max_record_bytes" in letter["reason"]


@pytest.mark.connector("redis", "schema")
def test_what_is_in_a_stream_becomes_a_source(call: Call, redis: Redis, stream: str) -> None:
    empty = call("schema", f"{redis.url}/{stream}")
    assert empty.code == 2
    assert f"{stream} has no record" in empty.err
    redis.send(stream, ['{"celsius": 20.5, "device": "d1"}'])
    found = call("schema", f"{redis.url}/0/{stream}")
    assert json.loads(found.out) == {"type": "redis_source", "server": f"{redis.url}/0", "streams": [stream], "format": "json",
                                     "schema": "celsius DOUBLE,device STRING"}


@pytest.mark.connector("redis", "slow")
def test_large_entries_behind_small_ones_are_asked_for_a_few_at_a_time(call: Call, tmp_path: Path) -> None:
    """The server ends a connection for which more than 24 MB wait."""
    large = 40
    with Redis(tmp_path / "server", "--client-output-buffer-limit", "normal", "24mb", "0", "0") as server:
        server.send("s", ["x"] * COUNT)
        server.send("s", ["y" * 1_000_000] * large)
        found = read(call, tmp_path, source(server, "s", buffer_bytes=1 << 23))
    assert [len(row["value"]) for row in found] == [1] * COUNT + [1_000_000] * large


@pytest.mark.connector("redis", "refused")
def test_tls_believes_whom_it_is_told_to(call: Call, tmp_path: Path) -> None:
    trust = str(certificate(tmp_path))
    with Redis(tmp_path / "server", tls=(trust, str(tmp_path / "key.pem"))) as server:
        server.send("s", ["a"])
        graph = tmp_path / "g.json"
        write(graph, chain(("in", source(server, "s", tls={"trust": trust})),
                           ("out", sink(server, stream="t", tls={"trust": trust}))))
        ended = call("run", graph)
        assert ended.code == 0, ended.err
        assert len(server.read("t")) == 1
        other = {"trust": str(certificate(tmp_path, "other_"))}
        write(graph, chain(("in", source(server, "s", tls=other)), ("out", sink(server, stream="t"))))
        tried = call("check", graph, "--connect")
        assert tried.err.count(f"no TLS with `server` {server.url}: ") == 2
