"""``iceberg_sink`` and ``iceberg_source``: what pyiceberg, of another code base, reads of the tables, and what it writes."""

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

from e2e.conftest import Call, Start
from support.graphs import Fields, chain, rows, write
from support.processes import END_S, Command
from support.written import written_rows

pytest.importorskip("pyiceberg", reason="it reads and writes the tables, and is of the extra dev")
import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.table import StaticTable, Table
from pyiceberg.transforms import DayTransform
from pyiceberg.types import LongType

COUNT = 200
AT = datetime(2026, 11, 29, 12, 30, 0, 123_000)
TYPES: dict[str, tuple[str, Callable[[int], Any]]] = {
    "b": ("id % 2 = 0", lambda n: n % 2 == 0), "i": ("CAST(id AS INT)", lambda n: n),
    "l": ("id * 10000000000", lambda n: n * 10_000_000_000),
    "f": ("CAST(id / 2 AS FLOAT)", lambda n: n / 2), "d": ("CAST(id AS DOUBLE) / 4", lambda n: n / 4),
    "dec": ("CAST(id AS DECIMAL(20, 3))", lambda n: Decimal(n)), "txt": ("concat('ä', id)", lambda n: f"ä{n}"),
    "bin": ("CAST(CAST(id AS STRING) AS BINARY)", lambda n: str(n).encode()),
    "day": ("date_add(DATE'2026-01-01', CAST(id AS INT))", lambda n: date.fromordinal(date(2026, 1, 1).toordinal() + n)),
    "ts": ("timestamp_micros(1700000000000000 + id)",
           lambda n: datetime.fromtimestamp(1_700_000_000, UTC).replace(microsecond=n)),
    "ntz": ("TIMESTAMP_NTZ'2026-11-29 12:30:00.123'", lambda n: AT),
    "arr": ("array(id, NULL)", lambda n: [n, None]), "st": ("named_struct('x', id, 'y', array('z'))",
                                                           lambda n: {"x": n, "y": ["z"]}),
    "m": ("map('k', named_struct('v', id))", lambda n: [("k", {"v": n})]),
    "no": ("IF(id % 3 = 0, NULL, id)", lambda n: None if n % 3 == 0 else n),
}


def sink(path: Path, **fields: Any) -> Fields:
    return {"type": "iceberg_sink", "path": str(path), **fields}


def version(path: Path) -> int:
    return max((int(each.name[1:].split(".")[0]) for each in (path / "metadata").glob("v*.metadata.json")), default=0)


def table(path: Path) -> StaticTable:
    return StaticTable.from_metadata(str(path / "metadata" / f"v{version(path)}.metadata.json"))


def read(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table(path).scan().to_arrow().to_pylist()
    return sorted(found, key=lambda row: row["id"])


def catalog(folder: Path) -> Catalog:
    made = InMemoryCatalog("others", warehouse=str(folder / "others"))
    made.create_namespace("lake")
    return made


def laid_out(of: Table) -> Path:
    """The folder of a table, with its newest version named as in a catalog of folders."""
    newest = Path(of.metadata_location.removeprefix("file://"))
    folder = newest.parent.parent
    (newest.parent / f"v{version(folder) + 1}.metadata.json").write_bytes(newest.read_bytes())
    return folder


@pytest.mark.connector("iceberg", "schema")
def test_every_type_is_read_back_by_another_reader_and_by_our_own(call: Call, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(("made", rows(COUNT // 2, "id", *(f"{text} AS {name}" for name, (text, _)
                                                                              in TYPES.items()))),
                                             ("out", sink(tmp_path / "table")), name="types"))
    ended = call("run", graph, "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    expected = [{"id": n, **{name: value(n) for name, (_, value) in TYPES.items()}} for n in range(COUNT // 2)]
    assert read(tmp_path / "table") == expected
    schema = "id BIGINT, b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, dec DECIMAL(20, 3), txt STRING, bin BINARY, day DATE, " \
             "ts TIMESTAMP, ntz TIMESTAMP_NTZ, arr ARRAY<BIGINT>, st STRUCT<x: BIGINT, y: ARRAY<STRING>>, " \
             "m MAP<STRING, STRUCT<v: BIGINT>>, no BIGINT"
    found = json.loads(call("schema", f"iceberg:{tmp_path / 'table'}").out)
    assert found == source(tmp_path / "table", schema.replace("(20, 3)", "(20,3)"))
    again = call("run", copying(tmp_path, found, sink(tmp_path / "again")))
    assert again.code == 0, again.err
    assert read(tmp_path / "again") == expected


def copying(folder: Path, fields: Fields, out: Fields | None = None) -> Path:
    to: Fields = out or {"type": "file_sink", "path": str(folder / "out"), "format": "json", "if_exists": "replace"}
    return write(folder / "g.json", chain(("in", fields), ("out", to), name="read"))


def source(path: Path, schema: str = "id BIGINT", **fields: Any) -> Fields:
    return {"type": "iceberg_source", "path": str(path), "schema": schema, **fields}


def taken(call: Call, folder: Path, fields: Fields) -> list[dict[str, Any]]:
    ended = call("run", copying(folder, fields))
    assert ended.code == 0, ended.err
    return written_rows(folder / "out")


@pytest.mark.connector("iceberg", "promise", "spark", "tried", "leftovers")
def test_partitions_promises_and_what_is_left(call: Call, tmp_path: Path) -> None:
    select = ("id", "IF(id % 5 = 4, NULL, IF(id % 5 = 3, '', concat('a/b=', id % 5))) AS place", "DATE'2026-11-29' AS day")
    path = tmp_path / "table"
    graph = write(tmp_path / "g.graph.json", chain(("made", rows(COUNT, *select)),
                                                   ("out", sink(path, partition_by=["place", "day"])), name="parts"))
    assert "marked" in call("check", graph, "--guarantee", "--json").out
    assert "iceberg-spark" in call("check", graph, "--for", "spark").err
    assert "there is no table at" in call("check", graph, "--connect").out
    assert not path.exists()
    ended = call("run", graph, "--state", tmp_path / "state")
    assert ended.code == 0, ended.err
    assert "(version 1, partitioned by place, day)" in call("check", graph, "--connect").out
    assert f"among the properties of {path}: the marker of" in call("state", "servers", tmp_path / "state", graph).out
    places = ["a/b=0", "a/b=1", "a/b=2", "", None]
    assert read(path) == [{"id": n, "place": places[n % 5], "day": date(2026, 11, 29)} for n in range(COUNT)]
    found = table(path)
    assert [field.name for field in found.spec().fields] == ["place", "day"]
    some = found.scan(row_filter="place = 'a/b=1' and day = '2026-11-29'")
    assert sorted(some.to_arrow()["id"].to_pylist()) == list(range(1, COUNT, 5))
    assert len(list(some.plan_files())) == 1
    write(graph, chain(("made", rows(3, *select)), ("out", sink(path, partition_by=["day"]))))
    assert "is partitioned by [place, day], and `partition_by` is [day]" in call("run", graph).err


@pytest.mark.connector("iceberg", "changed", "others")
def test_snapshots_columns_and_partitions_of_another_writer(call: Call, tmp_path: Path) -> None:
    first = pa.table({"id": pa.array(range(4), pa.int64()), "old": ["w", "x", None, "z"], "gone": pa.array([1] * 4, pa.int32())})
    made = catalog(tmp_path).create_table("lake.read", first.schema)
    made.append(first)
    with made.update_schema() as columns:
        columns.rename_column("old", "name")
        columns.delete_column("gone")
        columns.add_column("later", LongType())
    made.append(pa.table({"id": pa.array([9], pa.int64()), "name": ["n"], "later": pa.array([7], pa.int64())}))
    path = laid_out(made)
    schema = "NAME STRING, later BIGINT, id BIGINT"
    expected = [{"NAME": "w", "id": 0}, {"NAME": "x", "id": 1}, {"id": 2}, {"NAME": "z", "id": 3},
                {"NAME": "n", "later": 7, "id": 9}]
    assert sorted(taken(call, tmp_path, source(path, schema)), key=lambda row: row["id"]) == expected
    old = made.snapshots()[0].snapshot_id
    assert [row["old"] for row in taken(call, tmp_path, source(path, "old STRING", snapshot_id=old)) if row] == ["w", "x", "z"]
    assert taken(call, tmp_path, source(path, "later BIGINT")) in ([{}] * 4 + [{"later": 7}], [{"later": 7}] + [{}] * 4)
    for arguments in (["run"], ["check", "--connect"]):
        refused = call(*arguments, copying(tmp_path, source(path, "id INT, none STRING")))
        assert f"`path` {path} (snapshot {made.snapshots()[-1].snapshot_id}) has `id` as long, and `schema` as int; " \
               "no column `none`" in refused.err
    assert "(snapshot number 2, files: 2)" in call("check", copying(tmp_path, source(path)), "--connect").out
    ended = call("run", write(tmp_path / "g.json", chain(("made", rows(2, "id + 20 AS id", "'mine' AS name")),
                                                         ("out", sink(path)), name="more")))
    assert ended.code == 0, ended.err
    assert [row for row in read(path) if row["id"] >= 20] == [{"id": n, "name": "mine", "later": None} for n in (20, 21)]


@pytest.mark.connector("iceberg", "missing", "tried")
def test_tables_that_do_not_fit_are_refused_in_words(call: Call, tmp_path: Path) -> None:
    others = catalog(tmp_path)
    columns = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("ts", pa.timestamp("us", "UTC")),
                         pa.field("must", pa.string(), nullable=False)])
    made = others.create_table("lake.days", columns)
    with made.update_spec() as spec:
        spec.add_field("ts", DayTransform(), "day")
    path = laid_out(made)
    assert taken(call, tmp_path, source(path)) == []
    graph = write(tmp_path / "g.json", chain(("made", rows(3, "CAST(id AS INT) AS id", "id AS other")), ("out", sink(path))))
    for arguments in (["run"], ["check", "--connect"]):
        ended = call(*arguments, graph)
        assert ended.code == 1
        assert f"`path` {path} has `id` as long, and the stream as int; no column `other`; `must`, which may not be NULL, and " \
               "the stream has not; `ts`, which it is partitioned by, and the stream has not" in ended.err
    assert "is no Iceberg table" in call("run", copying(tmp_path, source(tmp_path / "none"))).err


def test_rows_take_the_place_of_others(call: Call, tmp_path: Path) -> None:
    """What is there then, Iceberg's own reader says in ``IcebergUpsertTest``: pyiceberg does not read such tables."""
    path = tmp_path / "table"
    fields = sink(path, mode="upsert", keys=["id"], partition_by=["bucket(2, id)"], parallelism=2)
    graph = write(tmp_path / "g.json", chain(("made", rows(COUNT, "id % 5 AS id", "id AS value")), ("out", fields),
                                             name="upserts"))
    assert "marked" in call("check", graph, "--guarantee", "--json").out
    for _ in range(2):
        ended = call("run", graph)
        assert ended.code == 0, ended.err
    found = table(path).inspect
    assert sum(found.data_files()["record_count"].to_pylist()) == 2 * 5, "only the newest row of each key is written"
    assert sum(found.delete_files()["record_count"].to_pylist()) == 2 * 5
    assert "merge-on-read" in call("run", copying(tmp_path, source(path))).err


@pytest.mark.connector("iceberg", "jobs")
def test_each_row_is_there_once_whatever_is_killed(start: Start, tmp_path: Path) -> None:
    """Its resource and then the whole command are killed."""
    path = tmp_path / "table"
    graph = write(tmp_path / "g.json", chain(("made", rows(None, "id", rate_per_s=10 * COUNT)), ("out", sink(path)), name="kept"))
    two = write(tmp_path / "two.json", {"format": 1, "resources": {"one": {"start": "child"}}, "place": {"*": ["one"]}})

    def run() -> Command:
        return start("run", graph, "--state", tmp_path / "state", "--epoch-ms", "50", "--deployment", two)

    def newer(run: Command) -> None:
        before = version(path)
        run.until(lambda: version(path) > before + 2, "versions", END_S)

    running = run()
    for kill in ("ResourceMain", "all"):
        newer(running)
        assert "WARN" not in running.err(), "what its library logs says nothing to users"
        if kill == "all":
            running.kill()
            running = run()
        else:
            os.kill(running.jvms(kill)[0], signal.SIGKILL)
    newer(running)
    running.interrupt(0)
    found = [row["id"] for row in read(path)]
    assert found
    assert found == list(range(len(found)))
