"""Files and states of jobs on HDFS and S3: real servers, which clients of other code bases read too."""

from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from despina.drivers.py4j import Py4jDriver
from despina.installed import HADOOP_VARIABLE, JARS_VARIABLE
from e2e.conftest import Call, Start, coordinator
from support import stores
from support.graphs import TWO, Fields, chain, rows, write
from support.memory import QUICK
from support.processes import END_S, Command
from support.stores import Store

ROWS = 3_000
STORES = ("hdfs", "s3")
FORMATS = ("csv", "json", "parquet")
SCHEMA = "id BIGINT, word STRING, value DOUBLE"
Variables = dict[str, str]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Store]]:
    with stores.running(tmp_path_factory.mktemp("stores")) as started:
        yield started


@pytest.fixture(scope="module")
def variables(servers: Mapping[str, Store], tmp_path_factory: pytest.TempPathFactory) -> Variables:
    """What the user sets, so that every JVM finds both stores."""
    settings = {name: value for store in servers.values() for name, value in store.settings().items()}
    folder = stores.write_settings(tmp_path_factory.mktemp("settings"), settings)
    return {**QUICK, JARS_VARIABLE: str(stores.S3_JARS), HADOOP_VARIABLE: str(folder)}


@pytest.fixture(scope="module")
def driver(variables: Variables) -> Iterator[Py4jDriver]:
    """The engine of this module's ``call``."""
    yield from coordinator(variables)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, servers: Mapping[str, Store]) -> Store:
    return servers[request.param]


@pytest.fixture(params=STORES if os.environ.get("DESPINA_EVERY_CASE") else STORES[:1])
def state_store(request: pytest.FixtureRequest, servers: Mapping[str, Store]) -> Store:
    """One of them, for what takes half a minute; with DESPINA_EVERY_CASE=1 each."""
    return servers[request.param]


def source(count: int | None = ROWS, **fields: object) -> Fields:
    return rows(count, "id", "concat('w', CAST(id % 10 AS STRING)) AS word", "id / 8D AS value", **fields)


def expected(count: int = ROWS) -> list[tuple[int, str, float]]:
    return [(k, f"w{k % 10}", k / 8) for k in range(count)]


def read(format: str, files: Mapping[str, bytes]) -> list[tuple[int, str, float]]:
    """All rows of such files, in the order of their ids, as another reader finds them."""
    found: list[tuple[int, str, float]] = []
    for content in files.values():
        if format == "parquet":
            found += [(row["id"], row["word"], row["value"]) for row in parquet.read_table(io.BytesIO(content)).to_pylist()]
        elif format == "json":
            found += [(row["id"], row["word"], row["value"]) for row in map(json.loads, content.decode().splitlines())]
        else:
            cells = (line.split(",") for line in content.decode().splitlines())
            found += [(int(key), word, float(value)) for key, word, value in cells]
    return sorted(found)


def test_rows_are_written_and_read_again(call: Call, tmp_path: Path, store: Store) -> None:
    sinks = {format: {"type": "file_sink", "path": f"{store.uri}/{format}", "format": format, "parallelism": 2}
             for format in FORMATS}
    graph: Fields = {"format": 1, "name": "out", "operators": {"source": source(), **sinks},
                     "links": [{"from": "source", "to": format} for format in FORMATS]}
    ended = call("run", write(tmp_path / "out.json", graph))
    assert ended.code == 0, ended.err
    for format in FORMATS:
        assert read(format, store.files(format)) == expected(), format
    sources = {format: {"type": "file_source", "path": f"{store.uri}/{format}/part-*", "format": format, "schema": SCHEMA}
               for format in FORMATS}
    into = {f"{format}_in": {"type": "file_sink", "path": str(tmp_path / format), "format": "json"} for format in FORMATS}
    graph = {"format": 1, "name": "in", "operators": {**sources, **into},
             "links": [{"from": format, "to": f"{format}_in"} for format in FORMATS]}
    ended = call("run", write(tmp_path / "in.json", graph))
    assert ended.code == 0, ended.err
    for format in FORMATS:
        parts = {path.name: path.read_bytes() for path in (tmp_path / format).glob("part-*")}
        assert read("json", parts) == expected(), format


def test_rows_that_are_there_are_replaced_only_if_the_graph_says_so(call: Call, tmp_path: Path, store: Store) -> None:
    def run(count: int, **fields: object) -> tuple[int, str]:
        sink: Fields = {"type": "file_sink", "path": f"{store.uri}/again", "format": "csv", **fields}
        ended = call("run", write(tmp_path / "g.json", chain(("source", source(count)), ("sink", sink))))
        return ended.code, ended.err

    assert run(10)[0] == 0
    code, words = run(20)
    assert code != 0
    assert f"{store.uri}/again" in words
    assert read("csv", store.files("again")) == expected(10)
    code, words = run(20, if_exists="replace")
    assert code == 0, words
    assert read("csv", store.files("again")) == expected(20)


def test_a_state_survives_a_resource_and_its_command(start: Start, call: Call, tmp_path: Path, state_store: Store,
                                                     variables: Variables) -> None:
    sink: Fields = {"type": "file_sink", "path": f"{state_store.uri}/kept", "format": "csv", "roll_every_ms": 400}
    graph = write(tmp_path / "g.json", chain(("source", source(None, rate_per_s=3_000)), ("sink", sink)))
    state, deployment = f"{state_store.uri}/states/kept", write(tmp_path / "d.json", TWO)

    def begin() -> Command:
        return start("run", graph, "--deployment", deployment, "--state", state, "--epoch-ms", "300", **variables)

    def more_rows(command: Command) -> None:
        seen = len(state_store.files("kept"))
        command.until(lambda: len(state_store.files("kept")) > seen, "committed rows", END_S)

    command = begin()
    more_rows(command)
    refused = call("run", graph, "--state", state)
    assert refused.code != 0
    assert "error[state_in_use]" in refused.err
    os.kill(command.jvms("ResourceMain")[0], signal.SIGKILL)
    more_rows(command)
    for pid in command.processes():
        os.kill(pid, signal.SIGKILL)
    command.end()
    command = begin()
    more_rows(command)
    command.interrupt()
    found = read("csv", state_store.files("kept"))
    assert found == expected(len(found))
    assert call("state", "check", state).code == 0


def test_a_bucket_that_is_not_there_is_named(call: Call, tmp_path: Path, servers: Mapping[str, Store]) -> None:
    sink: Fields = {"type": "file_sink", "path": "s3a://no-such-bucket/out", "format": "csv"}
    ended = call("run", write(tmp_path / "g.json", chain(("source", source()), ("sink", sink))))
    assert ended.code != 0
    assert "no-such-bucket" in ended.err
    assert "operator sink" in ended.err
