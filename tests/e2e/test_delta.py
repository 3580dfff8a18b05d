"""``delta_sink``: what Python's deltalake, of another code base, reads of the tables that it writes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from despina.installed import HADOOP_VARIABLE
from e2e.conftest import Call, Start
from support.graphs import Fields, chain, rows, write
from support.processes import END_S, Command
from support.stores import write_settings

pytest.importorskip("deltalake", reason="it reads the tables, and is of the extra dev")
from deltalake import DeltaTable, write_deltalake

COUNT = 200
TYPES: dict[str, tuple[str, Callable[[int], Any]]] = {
    "b": ("id % 2 = 0", lambda n: n % 2 == 0), "t": ("CAST(id AS TINYINT)", lambda n: n),
    "s": ("CAST(id AS SMALLINT)", lambda n: n),
    "i": ("CAST(id AS INT)", lambda n: n), "l": ("id * 10000000000", lambda n: n * 10_000_000_000),
    "f": ("CAST(id AS FLOAT) / 2", lambda n: n / 2), "d": ("CAST(id AS DOUBLE) / 4", lambda n: n / 4),
    "dec": ("CAST(id AS DECIMAL(20, 3))", lambda n: Decimal(n)), "txt": ("concat('ä', id)", lambda n: f"ä{n}"),
    "bin": ("CAST(CAST(id AS STRING) AS BINARY)", lambda n: str(n).encode()),
    "day": ("date_add(DATE'2026-01-01', CAST(id AS INT))", lambda n: date.fromordinal(date(2026, 1, 1).toordinal() + n)),
    "ts": ("timestamp_micros(1700000000000000 + id)",
           lambda n: datetime.fromtimestamp(1_700_000_000, UTC).replace(microsecond=n)),
    "arr": ("array(id, NULL)", lambda n: [n, None]), "st": ("named_struct('x', id, 'y', 'z')", lambda n: {"x": n, "y": "z"}),
    "no": ("IF(id % 3 = 0, NULL, id)", lambda n: None if n % 3 == 0 else n),
}


def sink(path: Path, **fields: Any) -> Fields:
    return {"type": "delta_sink", "path": str(path), **fields}


def read(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = DeltaTable(str(path)).to_pyarrow_table().to_pylist()
    return found


@pytest.mark.parametrize("state", [True, False])
def test_every_type_is_read_back(call: Call, tmp_path: Path, state: bool) -> None:
    graph = write(tmp_path / "g.json", chain(("made", rows(COUNT // 2, "id", *(f"{text} AS {name}" for name, (text, _)
                                                                              in TYPES.items()))),
                                             ("out", sink(tmp_path / "table")), name="types"))
    for _ in range(1 if state else 2):
        ended = call("run", graph, *(["--state", tmp_path / "state"] if state else []))
        assert ended.code == 0, ended.err
    found = sorted(read(tmp_path / "table"), key=lambda row: row["id"])
    expected = [{"id": n, **{name: value(n) for name, (_, value) in TYPES.items()}} for n in range(COUNT // 2)]
    assert found == (expected if state else [row for row in expected for _ in range(2)])


def test_partitions_are_those_of_the_table(call: Call, tmp_path: Path) -> None:
    select = ("id", "IF(id % 5 = 4, NULL, concat('a/b=', id % 5)) AS place", "DATE'2026-11-29' AS day", "id % 2 = 0 AS even")
    graph = write(tmp_path / "g.json", chain(("made", rows(COUNT, *select)),
                                             ("out", sink(tmp_path / "table", partition_by=["place", "even"])), name="parts"))
    ended = call("run", graph)
    assert ended.code == 0, ended.err
    table = DeltaTable(str(tmp_path / "table"))
    assert table.metadata().partition_columns == ["place", "even"]
    assert sorted(read(tmp_path / "table"), key=lambda row: row["id"]) == [
        {"id": n, "place": None if n % 5 == 4 else f"a/b={n % 5}", "day": date(2026, 11, 29), "even": n % 2 == 0}
        for n in range(COUNT)]
    assert len(table.file_uris()) == 10
    assert not list((tmp_path / "table" / "_delta_log").glob(".*.tmp"))
    none = table.to_pyarrow_table(filters=[("place", "=", "a/b=1"), ("even", "=", True)])
    assert sorted(none["id"].to_pylist()) == [n for n in range(COUNT) if n % 10 == 6]
    write(graph, chain(("made", rows(3, *select)), ("out", sink(tmp_path / "table", partition_by=["even"]))))
    assert "is partitioned by [place, even], and `partition_by` is [even]" in call("run", graph).err


@pytest.mark.connector("delta", "bad", "missing")
def test_rows_and_columns_that_do_not_fit_are_told(call: Call, tmp_path: Path) -> None:
    import pyarrow as pa
    path = tmp_path / "table"
    fields = [pa.field("id", pa.int64(), nullable=False), pa.field("more", pa.string()), pa.field("place", pa.string())]
    write_deltalake(str(path), pa.table({"id": [100], "more": ["x"], "place": ["p"]}, schema=pa.schema(fields)),
                    partition_by=["place"])
    select = ("IF(id = 1, NULL, id) AS id", "IF(id = 2, '', 'q') AS place")
    out = sink(path, on_error={"type": "dead_letter"})
    graph = chain(("made", rows(5, *select)), ("out", out), name="fit")
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "out.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    assert sorted((row["id"], row["more"], row["place"]) for row in read(path)) == [
        (0, None, "q"), (3, None, "q"), (4, None, "q"), (100, "x", "p")]
    reasons = "".join(file.read_text() for file in (tmp_path / "bad").glob("part-*"))
    assert reasons.count("column `id` is NULL, and may not be in the table") == 1
    assert reasons.count("column `place` is empty: as a partition that would be read as NULL") == 1
    other = write(tmp_path / "g.json", chain(("made", rows(5, "CAST(id AS INT) AS id", "id AS other")), ("out", sink(path))))
    for arguments in (["run", other], ["check", other, "--connect"]):
        ended = call(*arguments)
        assert ended.code == 1
        assert f"`path` {path} has `id` as long, and the stream as integer; no column `other`; `place`, which it is " \
               "partitioned by, and the stream has not" in ended.err


@pytest.mark.connector("delta", "missing", "tried")
def test_tables_that_cannot_be_written_to_are_refused_in_words(call: Call, tmp_path: Path) -> None:
    for number, (metadata, words) in enumerate((
            ({"delta.columnMapping.mode": "name"}, "has other names for its columns in files"), ({}, "does not do it"))):
        log = tmp_path / f"table{number}" / "_delta_log"
        log.mkdir(parents=True)
        schema = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {
            "delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "c1"}}]}
        protocol = {"minReaderVersion": 2, "minWriterVersion": 5} if metadata else {
            "minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["tomorrow"], "writerFeatures": ["tomorrow"]}
        actions = [{"protocol": protocol}, {"metaData": {
            "id": "a", "format": {"provider": "parquet", "options": {}}, "schemaString": json.dumps(schema),
            "partitionColumns": [], "configuration": metadata, "createdTime": 0}}]
        (log / f"{0:020}.json").write_text("\n".join(map(json.dumps, actions)))
        graph = write(tmp_path / "g.json", chain(("made", rows(3, "id")), ("out", sink(log.parent))))
        for arguments in (["run", graph], ["check", graph, "--connect"]):
            ended = call(*arguments)
            assert ended.code == 1
            assert words in ended.err


@pytest.mark.connector("delta", "promise", "spark", "tried", "leftovers", "stubbed")
def test_what_it_promises_what_spark_lacks_and_what_is_left(call: Call, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.graph.json", chain(("made", rows(3, "id")), ("out", sink(tmp_path / "table")), name="told"))
    assert "marked" in call("check", graph, "--guarantee", "--json").out
    assert "delta-spark" in call("check", graph, "--for", "spark").err
    assert "there is no table at" in call("check", graph, "--connect").out
    assert not (tmp_path / "table").exists()
    assert call("run", graph, "--state", tmp_path / "state").code == 0
    assert "(version 0)" in call("check", graph, "--connect").out
    assert "which stays until the log forgets it" in call("state", "servers", tmp_path / "state", graph).out
    case: Fields = {"name": "as it is", "inputs": {"made": [{"id": 1}]}, "expect": {"out": [{"id": 1}]}}
    ended = call("test", write(tmp_path / "g.test.json", {"graph": "g.graph.json", "cases": [case]}))
    assert ended.code == 0, ended.err


@pytest.mark.connector("delta", "large")
def test_an_epoch_that_is_larger_than_the_memory_for_it(call: Call, tmp_path: Path) -> None:
    """Rows of two partitions, 40 MB together."""
    select = ("id", "id % 2 AS side", "repeat('x', 100000) AS long")
    graph = write(tmp_path / "g.json", chain(("made", rows(2 * COUNT, *select)),
                                             ("out", sink(tmp_path / "table", partition_by=["side"])), name="large"))
    ended = call("run", graph)
    assert ended.code == 0, ended.err
    assert len(DeltaTable(str(tmp_path / "table")).file_uris()) > 2
    found = sorted((row["id"], row["side"], len(row["long"])) for row in read(tmp_path / "table"))
    assert found == [(n, n % 2, 100_000) for n in range(2 * COUNT)]


@pytest.mark.connector("delta", "jobs", "others")
def test_each_row_is_there_once_whatever_is_killed_and_others_write_too(start: Start, tmp_path: Path) -> None:
    """Its resource and then the whole command are killed, while another writer appends. Paths are of this machine all along."""
    import pyarrow as pa
    path = tmp_path / "table"
    made = rows(None, "id", rate_per_s=10 * COUNT)
    graph = write(tmp_path / "g.json", chain(("made", made), ("out", sink(path)), name="kept"))
    two = write(tmp_path / "two.json", {"format": 1, "resources": {"one": {"start": "child"}}, "place": {"*": ["one"]}})
    conf = write_settings(tmp_path / "conf", {"fs.defaultFS": "hdfs://127.0.0.1:1"})
    others = 0

    def run() -> Command:
        return start("run", graph, "--state", tmp_path / "state", "--epoch-ms", "50", "--deployment", two,
                     **{HADOOP_VARIABLE: str(conf)})

    def seen() -> int:
        return DeltaTable(str(path)).version() if any((path / "_delta_log").glob("*.json")) else -1

    def newer(run: Command, before: int) -> None:
        run.until(lambda: seen() > before, "a version", END_S)

    running = run()
    for kill in ("ResourceMain", "all"):
        before = seen()
        for _ in range(3):
            newer(running, before)
            write_deltalake(str(path), pa.table({"id": pa.array([-1], pa.int64())}), mode="append")
            others += 1
        assert "WARN" not in running.err(), "what its library logs says nothing to users"
        if kill == "all":
            running.kill()
            running = run()
        else:
            os.kill(running.jvms(kill)[0], signal.SIGKILL)
    newer(running, seen())
    running.interrupt(0)
    found = sorted(row["id"] for row in read(path))
    assert len(found) > others
    assert found == [-1] * others + list(range(len(found) - others))
