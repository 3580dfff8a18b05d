"""``iceberg_sink`` and ``iceberg_source`` with tables of catalogs: REST, a database's, and files in S3. pyiceberg has the same
tables.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from despina.drivers.py4j import Py4jDriver
from despina.installed import HADOOP_VARIABLE, JARS_VARIABLE
from e2e.conftest import Call, Start, coordinator
from support import databases, stores
from support.every import in_every
from support.graphs import Fields, chain, rows, write
from support.memory import QUICK
from support.processes import END_S, Command, until
from support.stores import BUCKET, S3

pytest.importorskip("pyiceberg", reason="it reads and writes the tables, and is of the extra dev")
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

from support import rest_catalog
from support.written import written_rows

COUNT = 200
SCHEMA = "id BIGINT, ts TIMESTAMP, word STRING"
SELECT = ("id", "timestamp_micros(1700000000000000 + id * 3600000000) AS ts", "concat('w', id % 3) AS word")
PARTS = ["day(ts)", "bucket(4, id)", "word"]


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    started = S3()
    yield started
    started.server.stop()


@pytest.fixture(scope="module")
def variables(s3: S3, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the user sets, so that every JVM finds S3."""
    folder = stores.write_settings(tmp_path_factory.mktemp("settings"), s3.settings())
    return {**QUICK, JARS_VARIABLE: str(stores.S3_JARS), HADOOP_VARIABLE: str(folder), "CATALOG_TOKEN": "let me in"}


@pytest.fixture(scope="module")
def driver(variables: dict[str, str]) -> Iterator[Py4jDriver]:
    """The engine of this module's ``call``."""
    yield from coordinator(variables)


def sink(catalog: Fields, **fields: Any) -> Fields:
    return {"type": "iceberg_sink", "catalog": catalog, **fields}


def writing(folder: Path, catalog: Fields, count: int | None = COUNT, select: tuple[str, ...] = SELECT, **fields: Any) -> Path:
    return write(folder / "g.json", chain(("made", rows(count, *select)), ("out", sink(catalog, **fields)), name="kept"))


def reading(folder: Path, catalog: Fields, schema: str = SCHEMA, **fields: Any) -> Path:
    out = {"type": "file_sink", "path": str(folder / "out"), "format": "json", "if_exists": "replace"}
    return write(folder / "r.json", chain(("in", {"type": "iceberg_source", "catalog": catalog, "schema": schema, **fields}),
                                          ("out", out), name="read"))


def taken(folder: Path) -> list[int]:
    return sorted(row["id"] for row in written_rows(folder / "out"))


def expected(count: int = COUNT) -> list[dict[str, Any]]:
    return [{"id": n, "ts": datetime.fromtimestamp(1_700_000_000 + n * 3600, UTC), "word": f"w{n % 3}"} for n in range(count)]


def read(table: Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table.scan().to_arrow().to_pylist()
    return sorted(found, key=lambda row: row["id"])


def theirs(catalog: SqlCatalog, *ids: int) -> Table:
    """A table that pyiceberg has made, with these rows; it writes no values that are made of columns."""
    found = pa.table({"id": pa.array(ids, pa.int64()), "ts": pa.array([datetime(2026, 1, 1, tzinfo=UTC)] * len(ids)),
                      "word": ["p"] * len(ids)})
    made = catalog.create_table("lake.theirs", found.schema)
    made.append(found)
    return made


def test_a_catalog_in_a_database_is_shared_with_pyiceberg(call: Call, tmp_path: Path) -> None:
    lake, file, jar = tmp_path / "lake", tmp_path / "catalog.db", databases.driver_jar()
    others = SqlCatalog("plant", uri=f"sqlite:///{file}", warehouse=f"file://{lake}")
    others.create_namespace("lake")
    place: Fields = {"type": "jdbc", "url": f"jdbc:sqlite:{file}", "driver": databases.DRIVER, "table": "lake.readings",
                     "name": "plant", "path": str(lake)}
    graph = writing(tmp_path, place, partition_by=PARTS)
    tried = call("check", graph, "--connect", "--jar", jar)
    assert "there is no table at lake.readings yet" in tried.out, tried.err
    ended = call("run", graph, "--state", tmp_path / "state", "--jar", jar)
    assert ended.code == 0, ended.err
    found = others.load_table("lake.readings")
    assert read(found) == expected()
    assert [field.name for field in found.spec().fields] == ["ts_day", "id_bucket", "word"]
    day = found.scan(row_filter="ts >= '2023-11-15T00:00:00+00:00' and ts < '2023-11-16T00:00:00+00:00'")
    wanted = [row["id"] for row in expected() if row["ts"].date() == date(2023, 11, 15)]
    assert sorted(day.to_arrow()["id"].to_pylist()) == wanted
    assert len(list(day.plan_files())) < len(list(found.scan().plan_files())) / 2, "files of other days are left out"
    tried = call("check", graph, "--connect", "--jar", jar)
    assert "(snapshot number 1, partitioned by day(ts), bucket(4, id), word)" in tried.out
    left = call("state", "servers", tmp_path / "state", graph, "--jar", jar)
    assert "among the properties of lake.readings: the marker of" in left.out, left.err
    table = theirs(others, 1_000, 1_001)
    place = {**place, "table": "lake.theirs"}
    ended = call("run", writing(tmp_path, place), "--jar", jar)
    assert ended.code == 0, ended.err
    assert [row["id"] for row in read(table.refresh())] == [*range(COUNT), 1_000, 1_001]
    ended = call("run", reading(tmp_path, place), "--jar", jar)
    assert ended.code == 0, ended.err
    assert taken(tmp_path) == [*range(COUNT), 1_000, 1_001]


@pytest.mark.connector("iceberg", "refused", "missing")
def test_tables_in_s3_by_a_rest_catalog(call: Call, tmp_path: Path, s3: S3) -> None:
    files = {"s3.endpoint": s3.endpoint, "s3.access-key-id": "key", "s3.secret-access-key": "secret", "s3.region": "eu-west-1"}
    with rest_catalog.running(tmp_path, f"s3://{BUCKET}/lake", **files) as rest:
        rest.token = "let me in"
        place: Fields = {"type": "rest", "url": rest.url, "warehouse": "plant", "table": "lake.readings",
                         "token_env": "CATALOG_TOKEN"}
        graph = writing(tmp_path, place, partition_by=PARTS)
        rest.unknown = 1        # the first version is there, and nobody is told
        ended = call("run", graph, "--state", tmp_path / "state")
        assert ended.code == 0, ended.err
        found = rest.catalog.load_table("lake.readings")
        assert read(found) == expected()
        assert "/v1/config?warehouse=plant" in rest.asked
        ended = call("run", reading(tmp_path, place))
        assert ended.code == 0, ended.err
        assert taken(tmp_path) == list(range(COUNT))
        theirs(rest.catalog, 1_000)
        ended = call("run", reading(tmp_path, {**place, "table": "lake.theirs"}))
        assert ended.code == 0, ended.err
        assert taken(tmp_path) == [1_000]
        oauth = {"token_url": f"{rest.url}/token", "client_id": "us", "client_secret_file": str(tmp_path / "secret")}
        place = {"type": "rest", "url": rest.url, "table": "lake.readings", "oauth2": oauth}
        (tmp_path / "secret").write_text("secret\n")
        assert "(snapshot number 1, files: " in call("check", reading(tmp_path, place), "--connect").out
        for wrong, words in (({}, "the catalog does not let it in, or not there: "),
                             ({"token_env": "CATALOG_TOKEN", "table": "lake.none"}, "`table` lake.none is not in the catalog")):
            ended = call("run", reading(tmp_path, {"type": "rest", "url": rest.url, "table": "lake.readings", **wrong}))
            assert ended.code == 1
            assert words in ended.err
        place = {"type": "rest", "url": rest.url, "table": "nowhere.readings", "token_env": "CATALOG_TOKEN"}
        ended = call("run", writing(tmp_path, place))
        assert "the catalog has no such namespace, and none is made" in ended.err


@in_every
@pytest.mark.connector("iceberg", "jobs")
def test_each_row_of_a_catalog_is_there_once_whatever_is_killed(start: Start, tmp_path: Path) -> None:
    """A source follows what a sink writes; one resource of each and then both commands are killed."""
    with rest_catalog.running(tmp_path, f"file://{tmp_path}/lake") as rest:
        place: Fields = {"type": "rest", "url": rest.url, "table": "lake.numbers", "path": str(tmp_path / "lake")}
        copies: Fields = {**place, "table": "lake.copies"}
        made = write(tmp_path / "made.json", chain(("made", rows(None, "id", rate_per_s=10 * COUNT)), ("out", sink(place))))
        copied = write(tmp_path / "copied.json", chain(
            ("in", {"type": "iceberg_source", "catalog": place, "schema": "id BIGINT", "follow": True, "poll_ms": 50}),
            ("out", sink(copies))))
        two = write(tmp_path / "two.json", {"format": 1, "resources": {"one": {"start": "child"}}, "place": {"*": ["one"]}})

        def run(graph: Path) -> Command:
            return start("run", graph, "--state", tmp_path / f"{graph.stem}.state", "--epoch-ms", "100", "--deployment", two)

        def newer(table: str) -> None:
            def number() -> int:
                return rest.catalog.load_table(table).metadata.last_sequence_number if rest.catalog.table_exists(table) else 0

            before = number()
            until(lambda: number() > before + 2, "snapshots", END_S)

        running = [run(made)]
        newer("lake.numbers")
        running += [run(copied)]
        newer("lake.copies")
        for each in running:
            os.kill(each.jvms("ResourceMain")[0], signal.SIGKILL)
        newer("lake.copies")
        for each in running:
            each.kill()
        running = [run(made), run(copied)]
        newer("lake.copies")
        running[0].interrupt(0)
        whole = [row["id"] for row in read(rest.catalog.load_table("lake.numbers"))]
        assert whole == list(range(len(whole)))
        until(lambda: len(read(rest.catalog.load_table("lake.copies"))) >= len(whole), "every row", END_S)
        running[1].interrupt(0)
        assert [row["id"] for row in read(rest.catalog.load_table("lake.copies"))] == whole
