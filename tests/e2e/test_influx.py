"""Line protocol, written by InfluxDB's own client and read by its server: another code base on either side."""

from __future__ import annotations

import json
import math
import random
import shutil
import socket
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from influxdb_client import Point, WritePrecision

from despina.engine import Engine
from despina.graph import Graph
from support.every import EVERY
from support.graphs import chain
from support.processes import free_port, over, until

COUNT = 20_000 if EVERY else 500
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCHEMA = "time TIMESTAMP, host STRING, `a tag` STRING, usage DOUBLE, cores BIGINT, on BOOLEAN, note STRING"
Row = dict[str, Any]


def text(chance: random.Random, marks: str = "ab ,=é#") -> str:
    return "".join(chance.choice(marks) for _ in range(chance.randint(1, 8)))


def random_row(chance: random.Random, number: int) -> Row:
    """A row with at least one field. InfluxDB has one point for each time and set of tags, so no two have a time."""
    fields: Row = {"usage": chance.gauss(0, 1e6), "cores": chance.randint(-2**63, 2**63 - 1), "on": chance.random() < 0.5,
                   "note": text(chance, "ab ,=\"\\é#")}
    kept = {name: value for name, value in fields.items() if chance.random() < 0.7} or {"on": True}
    return {"time": EPOCH + timedelta(microseconds=1_700_000_000_000_000 + 17 * number), "host": text(chance),
            "a tag": text(chance) if chance.random() < 0.5 else None, **dict.fromkeys(fields), **kept}


def line(row: Row) -> str:
    """As InfluxDB's client writes it."""
    point: Any = Point("the cpu,s")
    for name in ("host", "a tag"):
        if row[name] is not None:
            point.tag(name, row[name])
    for name in ("usage", "cores", "on", "note"):
        if row[name] is not None:
            point.field(name, row[name])
    return str(point.time(row["time"], WritePrecision.NS).to_line_protocol())


def connected(port: int) -> socket.socket:
    """A client of a source, once that listens."""
    def connection() -> socket.socket | None:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            return None
    found = until(connection, "source that listens")
    assert found is not None
    return found


def test_what_its_client_writes_is_read(engine: Engine) -> None:
    chance = random.Random(7)
    rows = [random_row(chance, number) for number in range(COUNT)]
    port = free_port()
    graph = Graph.from_dict(chain(
        ("source", {"type": "tcp_source", "port": port, "format": "influx", "schema": SCHEMA, "on_error": {"type": "skip"},
                    "options": {"measurement": "the cpu,s"}}),
        ("rows", {"type": "collect_sink"})))
    with graph.run(engine=engine) as job:
        with connected(port) as client:
            client.sendall("".join(f"{line(row)}\n# a comment\n" for row in rows).encode() + b"mem usage=1 0\n")
            until(lambda: job.poll().operators["source"]["errors"] == 1, "last line, of another measurement", ended=over(job))
        job.stop()
        job.wait()
        assert job.rows("rows").to_pylist() == rows


@pytest.fixture(scope="module")
def influxd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server."""
    program = shutil.which("influxd")
    if program is None:
        pytest.skip("no influxd here: apt install influxdb")
    folder = tmp_path_factory.mktemp("influxd")
    port = free_port()
    config = folder / "influxd.conf"
    config.write_text(f"""reporting-disabled = true
bind-address = "127.0.0.1:{free_port()}"
[meta]
dir = "{folder}/meta"
[data]
dir = "{folder}/data"
wal-dir = "{folder}/wal"
[http]
bind-address = "127.0.0.1:{port}"
""")
    with (folder / "log").open("wb") as log, \
            subprocess.Popen([program, "-config", str(config)], stdout=log, stderr=log) as server:
        address = f"http://127.0.0.1:{port}"
        try:
            until(lambda: answers(address), "answer of influxd")
            yield address
        finally:
            server.terminate()


def answers(address: str) -> bool:
    try:
        with urlopen(f"{address}/ping") as answer:
            return bool(answer.status == 204)
    except (URLError, ConnectionError):
        return False


def asked(address: str, query: str, method: str = "GET") -> Any:
    with urlopen(f"{address}/query?{urlencode({'q': query, 'db': 'plant', 'epoch': 'u'})}",
                 data=b"" if method == "POST" else None) as answer:
        return json.load(answer)["results"][0]


def test_what_is_written_its_server_reads(engine: Engine, influxd: str, tmp_path: Path) -> None:
    chance = random.Random(8)
    rows = [random_row(chance, number) for number in range(COUNT)]
    asked(influxd, "CREATE DATABASE plant", "POST")
    graph = Graph.from_dict(chain(
        ("source", {"type": "file_source", "path": str(tmp_path / "none"), "format": "json", "schema": SCHEMA}),
        ("sink", {"type": "http_sink", "url": f"{influxd}/write?db=plant", "format": "influx",
                  "options": {"measurement": "the cpu,s", "tags": "host,a tag"}})))
    job = graph.run(engine=engine, inputs={"source": rows})
    assert job.wait().state == "done"
    series = asked(influxd, 'SELECT * FROM "the cpu,s"')["series"][0]
    found = [dict(zip(series["columns"], values, strict=True)) for values in series["values"]]
    assert len(found) == len(rows)
    for has, wanted in zip(sorted(found, key=lambda row: int(row["time"])), rows, strict=True):
        usage, expected = has.pop("usage"), wanted["usage"]
        assert usage == expected or math.isclose(usage, expected, rel_tol=1e-15)
        assert has == {**{name: value for name, value in wanted.items() if name != "usage"},
                       "time": (wanted["time"] - EPOCH) // timedelta(microseconds=1)}


def test_posts_of_an_agent_are_answered(engine: Engine) -> None:
    """As Telegraf's output `http` sends them, with the time of their arrival where a line has none."""
    port = free_port()
    graph = Graph.from_dict(chain(
        ("source", {"type": "http_source", "port": port, "path": "/write", "format": "influx", "on_error": {"type": "skip"},
                    "schema": "time TIMESTAMP, measurement STRING, value DOUBLE",
                    "options": {"measurementColumn": "measurement", "precision": "s"}}),
        ("rows", {"type": "collect_sink"})))
    before = datetime.now(UTC)
    with graph.run(engine=engine) as job:
        connected(port).close()
        with urlopen(f"http://127.0.0.1:{port}/write?precision=s", data=b"cpu value=1 1700000000\nmem,host=a value=2\ncpu x\n"
                     ) as answer:
            assert json.load(answer) == {"rows": 2, "bad": 1}
        job.stop()
        job.wait()
        first, second = job.rows("rows").to_pylist()
    assert first == {"time": datetime.fromtimestamp(1_700_000_000, UTC), "measurement": "cpu", "value": 1.0}
    assert second["measurement"] == "mem"
    assert before <= second["time"] <= datetime.now(UTC)
