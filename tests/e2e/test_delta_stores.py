"""``delta_sink`` and ``delta_source`` with tables in S3, which deltalake writes and reads too."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from despina.drivers.py4j import Py4jDriver
from despina.installed import HADOOP_VARIABLE, JARS_VARIABLE
from e2e.conftest import Call, Start, coordinator
from support import stores
from support.every import in_every
from support.graphs import Fields, chain, rows, write
from support.memory import QUICK
from support.processes import END_S, until
from support.stores import BUCKET, S3
from support.written import written_lines

pytest.importorskip("deltalake", reason="it reads and writes the tables, and is of the extra dev")
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

COUNT = 200


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    started = S3()
    yield started
    started.server.stop()


@pytest.fixture(scope="module")
def variables(s3: S3, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the user sets, so that every JVM finds S3."""
    folder = stores.write_settings(tmp_path_factory.mktemp("settings"), s3.settings())
    return {**QUICK, JARS_VARIABLE: str(stores.S3_JARS), HADOOP_VARIABLE: str(folder)}


@pytest.fixture(scope="module")
def driver(variables: dict[str, str]) -> Iterator[Py4jDriver]:
    """The engine of this module's ``call``."""
    yield from coordinator(variables)


def theirs(s3: S3) -> dict[str, str]:
    """What deltalake needs to find it, and not to overwrite a version."""
    return {"AWS_ENDPOINT_URL": s3.endpoint, "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "key", "AWS_REGION": "eu-west-1",
            "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONDITIONAL_PUT": "etag"}


def table(s3: S3, name: str) -> DeltaTable:
    return DeltaTable(f"s3://{BUCKET}/{name}", storage_options=theirs(s3))


def append(s3: S3, name: str, *ids: int) -> None:
    write_deltalake(f"s3://{BUCKET}/{name}", pa.table({"id": pa.array(ids, pa.int64())}), mode="append",
                    storage_options=theirs(s3))


def numbers(s3: S3, name: str) -> list[int]:
    return sorted(table(s3, name).to_pyarrow_table()["id"].to_pylist())


def sink(name: str, **fields: Any) -> Fields:
    return {"type": "delta_sink", "path": f"s3a://{BUCKET}/{name}", **fields}


def copying(folder: Path, **fields: Any) -> Path:
    out: Fields = {"type": "file_sink", "path": str(folder / "out"), "format": "json", "if_exists": "replace"}
    return write(folder / "r.json", chain(("in", {"type": "delta_source", "schema": "id BIGINT", **fields}), ("out", out),
                                          name="read"))


@pytest.mark.connector("delta", "tried", "schema", "others", "missing")
def test_a_table_in_s3_is_shared_with_deltalake(call: Call, tmp_path: Path, s3: S3) -> None:
    graph = write(tmp_path / "g.json", chain(("made", rows(COUNT, "id", "id % 3 AS part")),
                                             ("out", sink("lake/readings", partition_by=["part"])), name="kept"))
    # the first try loads S3's client, which takes longer than a try may where the machine is busy
    until(lambda: "there is no table at s3a://" in call("check", graph, "--connect").out, "answer of the store")
    ended = call("run", graph, "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    assert numbers(s3, "lake/readings") == list(range(COUNT))
    assert "(version 0, partitioned by part)" in call("check", graph, "--connect").out
    assert not [name for name in s3.files("lake/readings/_delta_log") if not name.startswith("0")]
    append(s3, "lake/theirs", *range(COUNT, COUNT + 5))
    found = json.loads(call("schema", f"delta:s3a://{BUCKET}/lake/theirs").out)
    assert found["schema"] == "id BIGINT"
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(COUNT, "id")), ("out", sink("lake/theirs")))))
    assert ended.code == 0, ended.err
    assert numbers(s3, "lake/theirs") == list(range(COUNT + 5))
    ended = call("run", copying(tmp_path, path=f"s3a://{BUCKET}/lake/theirs"))
    assert ended.code == 0, ended.err
    lines = written_lines(tmp_path / "out")
    assert sorted(json.loads(line)["id"] for line in lines) == list(range(COUNT + 5))
    nowhere = call("run", copying(tmp_path, path="s3a://nowhere/lake"))
    assert nowhere.code == 1
    assert "`path` s3a://nowhere/lake: " in nowhere.err
    assert "bucket" in nowhere.err.lower()


@in_every
def test_a_table_in_hdfs_is_written_twice_and_read(call: Call, tmp_path: Path) -> None:
    hdfs = stores.Hdfs(tmp_path / "hdfs").start()
    try:
        path = f"{hdfs.uri}/lake/numbers"
        graph = write(tmp_path / "g.json", chain(("made", rows(COUNT, "id")), ("out", {"type": "delta_sink", "path": path})))
        for _ in range(2):
            ended = call("run", graph)
            assert ended.code == 0, ended.err
        assert "(version 1)" in call("check", graph, "--connect").out
        assert [name for name in hdfs.files("lake/numbers/_delta_log") if name.endswith(".json")] == [
            f"{version:020}.json" for version in range(2)]
        ended = call("run", copying(tmp_path, path=path))
        assert ended.code == 0, ended.err
    finally:
        hdfs.kill()
    lines = written_lines(tmp_path / "out")
    assert sorted(json.loads(line)["id"] for line in lines) == sorted([*range(COUNT)] * 2)


@in_every
@pytest.mark.connector("delta", "jobs", "others")
def test_each_row_is_there_once_whatever_is_killed_and_others_write_too(start: Start, tmp_path: Path, s3: S3,
                                                                        variables: dict[str, str]) -> None:
    graph = write(tmp_path / "g.json", chain(("made", rows(None, "id", rate_per_s=10 * COUNT)), ("out", sink("lake/killed")),
                                             name="kept"))
    two = write(tmp_path / "two.json", {"format": 1, "resources": {"one": {"start": "child"}}, "place": {"*": ["one"]}})
    append(s3, "lake/killed", -1)
    others = 1
    for kill in ("ResourceMain", "all", "none"):
        run = start("run", graph, "--state", tmp_path / "state", "--epoch-ms", "200", "--deployment", two, **variables)
        for _ in range(3):
            before = table(s3, "lake/killed").version()
            run.until(lambda before=before: table(s3, "lake/killed").version() > before, "a version",  # type: ignore[misc]
                      END_S)
            append(s3, "lake/killed", -1)
            others += 1
        if kill == "ResourceMain":
            os.kill(run.jvms(kill)[0], signal.SIGKILL)
            before = table(s3, "lake/killed").version()
            run.until(lambda before=before: table(s3, "lake/killed").version() > before, "a version",  # type: ignore[misc]
                      END_S)
        if kill == "none":
            run.interrupt(0)
        else:
            run.kill()
    found = numbers(s3, "lake/killed")
    assert len(found) > others
    assert found == [-1] * others + list(range(len(found) - others))
