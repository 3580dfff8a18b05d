"""``delta_source``: tables that Python's deltalake has written, and others with what it does not write."""

from __future__ import annotations

import base64
import json
import os
import signal
import struct
import uuid
import zlib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Call, Start
from support.graphs import Fields, chain, write
from support.processes import Command
from support.written import written_rows

pytest.importorskip("deltalake", reason="it writes the tables, and is of the extra dev")
import pyarrow as pa
import pyarrow.parquet as parquet
from deltalake import DeltaTable, write_deltalake

COUNT = 100
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
LONG_ID = {"name": "id", "type": "long", "nullable": True, "metadata": {}}


def source(path: Path, schema: str = "id BIGINT", **fields: Any) -> Fields:
    return {"type": "delta_source", "path": str(path), "schema": schema, **fields}


def graph(folder: Path, fields: Fields, **sink: Any) -> Path:
    out: Fields = {"type": "file_sink", "path": str(folder / "out"), "format": "json", **(sink or {"if_exists": "replace"})}
    return write(folder / "g.json", chain(("in", fields), ("out", out), name="read"))


def written(folder: Path) -> list[dict[str, Any]]:
    return written_rows(folder / "out")


def read(call: Call, folder: Path, fields: Fields) -> list[dict[str, Any]]:
    ended = call("run", graph(folder, fields))
    assert ended.code == 0, ended.err
    return written(folder)


def ids(*numbers: int) -> pa.Table:
    return pa.table({"id": pa.array(numbers, pa.int64())})


@pytest.mark.connector("delta", "schema", "missing")
def test_every_type_of_another_writer_is_read(call: Call, tmp_path: Path) -> None:
    at = datetime(2026, 11, 29, 12, 30, 0, 123_000)
    columns = {
        "b": pa.array([True, None]), "t": pa.array([1, -1], pa.int8()), "s": pa.array([2, None], pa.int16()),
        "i": pa.array([3, -3], pa.int32()), "l": pa.array([1 << 40, None], pa.int64()), "f": pa.array([0.5, None], pa.float32()),
        "d": pa.array([0.25, None]), "dec": pa.array([Decimal("1.250"), None], pa.decimal128(20, 3)),
        "txt": pa.array(["ä", None]), "bin": pa.array([b"x", None]), "day": pa.array([date(2026, 1, 2), None]),
        "ts": pa.array([at.replace(tzinfo=UTC), None], pa.timestamp("us", "UTC")),
        "ntz": pa.array([at, None], pa.timestamp("us")),
        "arr": pa.array([[1, None], None], pa.list_(pa.int64())),
        "st": pa.array([{"x": 1, "y": "z"}, None], pa.struct([("x", pa.int64()), ("y", pa.string())])),
        "m": pa.array([[("k", 7)], None], pa.map_(pa.string(), pa.int32())),
    }
    write_deltalake(str(tmp_path / "table"), pa.table(columns))
    schema = "TXT STRING, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, dec DECIMAL(20, 3), " \
             "bin BINARY, day DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, arr ARRAY<BIGINT>, " \
             "st STRUCT<x: BIGINT, y: STRING>, m MAP<STRING, INT>"
    printed = json.loads(call("schema", f"delta:{tmp_path / 'table'}").out)
    assert sorted(printed["schema"].replace("DECIMAL(20,3)", "DECIMAL(20, 3)").split(", ")) \
        == sorted(schema.replace("TXT", "txt").split(", "))
    assert "there is no Delta table" in call("schema", f"delta:{tmp_path / 'none'}").err
    found = read(call, tmp_path, source(tmp_path / "table", schema))
    assert found == [
        {"TXT": "ä", "b": True, "t": 1, "s": 2, "i": 3, "l": 1 << 40, "f": 0.5, "d": 0.25, "dec": 1.250, "bin": "eA==",
         "day": "2026-01-02", "ts": "2026-11-29T12:30:00.123Z", "ntz": "2026-11-29T12:30:00.123", "arr": [1, None],
         "st": {"x": 1, "y": "z"}, "m": {"k": 7}},
        {"t": -1, "i": -3}]


@pytest.mark.connector("delta", "changed")
def test_partitions_versions_and_columns_that_came_later(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "table"
    first = pa.table({"id": pa.array(range(4), pa.int64()), "place": ["a/b=%20", None, "a/b=%20", "c"],
                      "day": [date(2026, 1, 2)] * 4, "n": pa.array([1, 2, None, 4], pa.int32())})
    write_deltalake(str(path), first, partition_by=["place", "day", "n"])
    more = pa.table({"id": pa.array([9], pa.int64()), "place": ["d"], "day": [date(2026, 1, 3)], "n": pa.array([5], pa.int32()),
                     "later": ["x"]})
    write_deltalake(str(path), more, mode="append", schema_mode="merge")
    schema = "day DATE, later STRING, id BIGINT, place STRING, n INT"
    found = sorted(read(call, tmp_path, source(path, schema)), key=lambda row: row["id"])
    assert found == [
        {"day": "2026-01-02", "id": 0, "place": "a/b=%20", "n": 1}, {"day": "2026-01-02", "id": 1, "n": 2},
        {"day": "2026-01-02", "id": 2, "place": "a/b=%20"}, {"day": "2026-01-02", "id": 3, "place": "c", "n": 4},
        {"day": "2026-01-03", "later": "x", "id": 9, "place": "d", "n": 5}]
    DeltaTable(str(path)).delete("id >= 2")
    DeltaTable(str(path)).create_checkpoint()
    assert sorted(row["id"] for row in read(call, tmp_path, source(path))) == [0, 1]
    assert sorted(row["id"] for row in read(call, tmp_path, source(path, version=0))) == [0, 1, 2, 3]
    refused = call("run", graph(tmp_path, source(path, "id INT, day DATE, none STRING")))
    assert f"`path` {path} (version 2) has `id` as long, and `schema` as integer; no column `none`" in refused.err
    refused = call("run", graph(tmp_path, source(path, version=7)))
    assert refused.code == 1
    assert "version 7" in refused.err


def by_hand(path: Path, schema: Sequence[Fields], files: Sequence[Fields], configuration: Fields,
            features: Sequence[str]) -> None:
    """A table whose log is written here."""
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features, "writerFeatures": features}
    metadata = {"id": "a", "format": {"provider": "parquet", "options": {}}, "partitionColumns": [], "createdTime": 0,
                "schemaString": json.dumps({"type": "struct", "fields": schema}), "configuration": configuration}
    actions = [{"protocol": protocol}, {"metaData": metadata}, *({"add": {
        "partitionValues": {}, "size": (path / file["path"]).stat().st_size, "modificationTime": 0, "dataChange": True,
        **file}} for file in files)]
    (path / "_delta_log").mkdir(parents=True)
    (path / "_delta_log" / f"{0:020}.json").write_text("\n".join(map(json.dumps, actions)))


def vector(path: Path, *rows: int) -> Fields:
    """Writes a deletion vector, of one bitmap with one container, a sorted array; gives what the log says of it."""
    container = struct.pack("<IIHHI", 12346, 1, 0, len(rows) - 1, 16) + struct.pack(f"<{len(rows)}H", *rows)
    content = struct.pack("<IQI", 1681511377, 1, 0) + container
    name = uuid.uuid4()
    (path / f"deletion_vector_{name}.bin").write_bytes(
        b"\1" + struct.pack(">I", len(content)) + content + struct.pack(">I", zlib.crc32(content)))
    text = base64.b85encode(name.bytes).decode().translate(str.maketrans(B85, Z85))
    return {"storageType": "u", "pathOrInlineDv": text, "offset": 1, "sizeInBytes": len(content), "cardinality": len(rows)}


@pytest.mark.connector("delta", "changed")
def test_rows_that_are_gone_and_columns_that_are_renamed(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.mkdir()
    parquet.write_table(pa.table({"c1": pa.array(range(2 * COUNT), pa.int64()), "c2": ["x"] * 2 * COUNT}), path / "a b.parquet",
                        row_group_size=COUNT // 3)
    renamed = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "c1"}
    gone = [0, 1, COUNT, 2 * COUNT - 1]
    file = {"path": "a b.parquet", "deletionVector": vector(path, *gone)}
    by_hand(path, [{**LONG_ID, "metadata": renamed}], [file], {"delta.columnMapping.mode": "name"},
            ["columnMapping", "deletionVectors"])
    log = path / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace('"path": "a b.parquet"', '"path": "a%20b.parquet"'))
    assert [row["id"] for row in read(call, tmp_path, source(path))] == [n for n in range(2 * COUNT) if n not in gone]


@pytest.mark.connector("delta", "missing")
def test_tables_that_cannot_be_read_are_refused_in_words(call: Call, tmp_path: Path) -> None:
    cases: list[tuple[Fields, list[str], str]] = [
        ({"delta.columnMapping.mode": "id"}, ["columnMapping"], "names its columns by numbers in files"),
        ({}, ["tomorrow"], "Delta's kernel does not do it")]
    for number, (configuration, features, words) in enumerate(cases):
        path = tmp_path / f"table{number}"
        physical = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "c1"}
        by_hand(path, [{**LONG_ID, "metadata": physical}], [], configuration, features)
        for arguments in (["run"], ["check", "--connect"]):
            ended = call(*arguments, graph(tmp_path, source(path)))
            assert ended.code == 1
            assert words in ended.err
    assert "there is no Delta table at" in call("run", graph(tmp_path, source(tmp_path / "none"))).err
    write_deltalake(str(tmp_path / "table"), ids(1))
    told = graph(tmp_path, source(tmp_path / "table"))
    assert "(version 0, files: 1)" in call("check", told, "--connect").out
    assert "delta-spark" in call("check", told, "--for", "spark").err


@pytest.mark.skipif(not os.environ.get("DESPINA_EVERY_CASE"), reason="it starts four JVMs; LakeSourceTest goes on from any row")
@pytest.mark.connector("delta", "jobs")
def test_each_row_is_read_once_whatever_is_killed(start: Start, tmp_path: Path) -> None:
    """Its resource and then the whole command, while another writer appends and compacts; at last rows are deleted."""
    path = tmp_path / "table"
    for number in range(3):
        write_deltalake(str(path), ids(*range(number * COUNT, (number + 1) * COUNT)), mode="append")
    read_by = graph(tmp_path, source(path, follow=True, poll_ms=50), roll_every_ms=50)
    two = write(tmp_path / "two.json", {"format": 1, "resources": {"one": {"start": "child"}}, "place": {"*": ["one"]}})

    def run() -> Command:
        return start("run", read_by, "--state", tmp_path / "state", "--epoch-ms", "50", "--deployment", two)

    def have(count: int) -> None:
        running.until(lambda: len(written(tmp_path)) >= count, f"{count} rows")

    running = run()
    for number in (3, 4):
        have(number * COUNT)
        if number == 3:
            os.kill(running.jvms("ResourceMain")[0], signal.SIGKILL)
        else:
            running.kill()
        write_deltalake(str(path), ids(*range(number * COUNT, (number + 1) * COUNT)), mode="append")
        DeltaTable(str(path)).optimize.compact()
        running = running if number == 3 else run()
    have(5 * COUNT)
    DeltaTable(str(path)).delete("id = 7")
    running.says("has changed or removed rows of earlier versions: only rows that are added can be followed")
    running.signal(signal.SIGINT)
    assert running.end().code != 0
    assert [row["id"] for row in written(tmp_path)] == list(range(5 * COUNT))
