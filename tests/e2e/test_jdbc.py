"""``jdbc_sink`` and ``jdbc_source`` with a real PostgreSQL, which is killed with the processes of the job; psycopg counts."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from e2e.conftest import Call, Start
from support import postgres
from support.every import in_every
from support.graphs import Fields, chain, rows, write
from support.postgres import Postgres
from support.processes import Command
from support.written import written_rows

ROWS = 20_000
PER_S = 5_000
"""Of sources without an end, which are stopped: one of 20,000 rows may be over before it is killed, if the machine is slow."""
CHILD: Fields = {"format": 1, "resources": {"near": {"start": "child", "jars": [], "allow_classes": [postgres.DRIVER]}}}


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres.running() as started:
        yield started


@pytest.fixture
def schema(server: Postgres, request: pytest.FixtureRequest) -> str:
    """An empty schema of the test's own."""
    name = f"s{abs(hash(request.node.name))}"
    server.execute(f"CREATE SCHEMA {name}")
    return name


def source(count: int | None = ROWS, **fields: object) -> Fields:
    return rows(count, "id", "concat('d', CAST(id % 100 AS STRING)) AS device", "CAST(id AS DOUBLE) / 2 AS celsius", **fields)


def sink(connection: Fields, **fields: object) -> Fields:
    return {"type": "jdbc_sink", **connection, "table": "readings", **fields}


def child() -> Fields:
    near = {**CHILD["resources"]["near"], "jars": [str(postgres.driver_jar())]}
    return {**CHILD, "resources": {"near": near}}


def holds_each_once(server: Postgres, table: str, count: int = ROWS) -> None:
    assert server.execute(f"SELECT count(*), count(DISTINCT id), min(id), max(id) FROM {table}") == [
        (count, count, 0, count - 1)]


def make(server: Postgres, schema: str, extra: str = "") -> str:
    server.execute(f"CREATE TABLE {schema}.readings (id BIGINT{extra}, device TEXT, celsius DOUBLE PRECISION)")
    return f"{schema}.readings"


@pytest.mark.connector("jdbc", "leftovers")
def test_rows_are_appended_without_and_with_a_state(call: Call, tmp_path: Path, server: Postgres, schema: str) -> None:
    table = make(server, schema)
    write(tmp_path / "g.json", chain(("source", source()), ("sink", sink(server.connection(schema)))))
    ended = call("run", "g.json", "--jar", postgres.driver_jar())
    assert ended.code == 0, ended.err
    holds_each_once(server, table)
    server.execute(f"TRUNCATE {table}")
    ended = call("run", "g.json", "--jar", postgres.driver_jar(), "--state", "state")
    assert ended.code == 0, ended.err
    holds_each_once(server, table)
    assert server.execute(f"SELECT operator, count(*) FROM {schema}.despina_epochs GROUP BY operator") == [("sink", 1)]
    asked = ("state", "servers", "state", "g.json", "--jar", postgres.driver_jar())
    outbox, = server.execute(f"SELECT sink FROM {schema}.despina_epochs")[0]
    assert call(*asked).out.startswith(f"sink: in table despina_epochs the row of {outbox} (epoch ")
    assert call(*asked, "--remove").code == 0
    assert server.execute(f"SELECT count(*) FROM {schema}.despina_epochs") == [(0,)]
    assert call(*asked).out.startswith("sink: no row in table despina_epochs at jdbc:postgresql:")


def test_the_newest_row_of_each_key_is_there(call: Call, tmp_path: Path, server: Postgres, schema: str) -> None:
    make(server, schema)
    server.execute(f"CREATE UNIQUE INDEX ON {schema}.readings (device)")
    graph = chain(("source", source()), ("sink", sink(server.connection(schema), mode="upsert", keys=["device"], parallelism=3)))
    write(tmp_path / "g.json", graph)
    ended = call("run", "g.json", "--jar", postgres.driver_jar(), "--state", "state")
    assert ended.code == 0, ended.err
    assert server.execute(f"SELECT count(*), min(id), max(id) FROM {schema}.readings") == [(100, ROWS - 100, ROWS - 1)]


def started(start: Start, tmp_path: Path, *options: str) -> Command:
    return start("run", "g.json", "--deployment", "d.json", "--state", "state", "--epoch-ms", "200", *options)


@pytest.mark.parametrize("upserts", [pytest.param(False, id="append", marks=in_every), pytest.param(True, id="upsert")])
@pytest.mark.connector("jdbc", "jobs", "killed")
def test_each_row_comes_once_though_job_and_server_are_killed(start: Start, tmp_path: Path, schema: str, server: Postgres,
                                                              upserts: bool) -> None:
    with postgres.running() as own:
        own.execute("CREATE TABLE readings (id BIGINT" + (" PRIMARY KEY" if upserts else "") + ", device TEXT, celsius FLOAT8)")
        fields: Fields = {"mode": "upsert", "keys": ["id"]} if upserts else {}
        write(tmp_path / "g.json", chain(("source", source(None, rate_per_s=PER_S)),
                                         ("sink", sink(own.connection(), retry_for_ms=30_000, **fields))))
        write(tmp_path / "d.json", child())
        command = started(start, tmp_path)
        command.until(lambda: own.execute("SELECT count(*) FROM readings")[0][0] > 0, "rows")
        os.kill(command.jvms("ResourceMain")[0], signal.SIGKILL)
        before = own.execute("SELECT count(*) FROM readings")[0][0]
        command.until(lambda: own.execute("SELECT count(*) FROM readings")[0][0] > before, "rows after the first loss")
        own.kill()
        own.start()
        later = own.execute("SELECT count(*) FROM readings")[0][0]
        command.until(lambda: own.execute("SELECT count(*) FROM readings")[0][0] > later, "rows after the second loss", 120)
        command.interrupt(0, timeout_s=120)
        holds_each_once(own, "readings", own.execute("SELECT max(id) + 1 FROM readings")[0][0])


@pytest.mark.connector("jdbc", "phases")
def test_a_job_that_is_stopped_goes_on(start: Start, tmp_path: Path, server: Postgres, schema: str) -> None:
    table = make(server, schema)
    write(tmp_path / "g.json", chain(("source", source(10 * ROWS, rate_per_s=PER_S)), ("sink", sink(server.connection(schema)))))
    write(tmp_path / "d.json", child())
    some = (0, 0, 0)
    for mode in ("drain", "now", "flush"):
        command = started(start, tmp_path, "--on-stop", mode)
        command.until(lambda some=some: server.execute(  # type: ignore[misc]
            f"SELECT count(*) FROM {table}")[0][0] > some[0], "rows")
        command.signal(signal.SIGINT)
        command.end()
        some = server.execute(f"SELECT count(*), count(DISTINCT id), max(id) + 1 FROM {table}")[0]
        assert 0 < some[0] == some[1] == some[2] < 10 * ROWS
    assert "the job has ended" in started(start, tmp_path).end(120).err         # by flush
    assert server.execute(f"SELECT count(*) FROM {table}") == [some[:1]]


@pytest.mark.connector("jdbc", "rescaled")
def test_more_instances_go_on_and_fewer_are_refused(start: Start, tmp_path: Path, server: Postgres, schema: str) -> None:
    table = make(server, schema)
    write(tmp_path / "d.json", child())

    def run(parallelism: int) -> Command:
        write(tmp_path / "g.json", chain(("source", source(None, rate_per_s=PER_S)),
                                         ("sink", sink(server.connection(schema), parallelism=parallelism))))
        return started(start, tmp_path)
    command = run(2)
    command.until(lambda: server.execute(f"SELECT count(*) FROM {table}")[0][0] > 0, "rows")
    command.interrupt(0, timeout_s=120)
    refused = run(1).end()
    assert "leave its parallelism as it was, or make it more" in refused.err
    command = run(3)
    command.until(lambda: server.execute(f"SELECT count(*) FROM {schema}.despina_epochs") == [(3,)], "rows of the third", 120)
    command.interrupt(0, timeout_s=120)
    holds_each_once(server, table, server.execute(f"SELECT max(id) + 1 FROM {table}")[0][0])


@pytest.mark.connector("jdbc", "jobs")
def test_a_table_is_copied_once_though_the_command_is_killed(start: Start, tmp_path: Path, server: Postgres, schema: str) -> None:
    table = make(server, schema)
    server.execute(f"CREATE TABLE {schema}.origin AS SELECT id / 7 AS n, id, 'd' || id AS device, id / 2.0::float8 AS celsius "
                   f"FROM generate_series(0, {ROWS - 1}) id")
    origin = {"type": "jdbc_source", **server.connection(schema), "table": "origin", "column": "n", "follow": True, "poll_ms": 20,
              "schema": "n BIGINT, id BIGINT, device STRING, celsius DOUBLE"}
    slow = {"type": "relay", "work_us": 100}
    write(tmp_path / "g.json", chain(("source", origin), ("slow", slow),
                                     ("sink", sink(server.connection(schema), columns=["id", "device", "celsius"]))))
    write(tmp_path / "d.json", child())
    for _ in range(2):
        before = server.execute(f"SELECT count(*) FROM {table}")[0][0]
        command = started(start, tmp_path)
        command.until(lambda: server.execute(f"SELECT count(*) FROM {table}")[0][0] > before, "rows")  # noqa: B023
        command.clear()
    server.execute(f"INSERT INTO {schema}.origin VALUES ({ROWS}, {ROWS}, 'last', 1)")
    command = started(start, tmp_path)
    command.until(lambda: server.execute(f"SELECT count(*) FROM {table} WHERE device = 'last'") == [(1,)], "the last row", 120)
    command.signal(signal.SIGINT)
    command.end()
    holds_each_once(server, table, ROWS + 1)


@pytest.mark.connector("jdbc", "slow")
def test_many_rows_are_read_with_a_small_heap(call: Call, tmp_path: Path, server: Postgres, schema: str) -> None:
    server.execute(f"CREATE TABLE {schema}.large AS SELECT id, repeat('x', 3000) AS text FROM generate_series(0, 99999) id")
    large = {"type": "jdbc_source", **server.connection(schema), "table": "large", "schema": "id BIGINT, text STRING"}
    write(tmp_path / "g.json", chain(("source", large), ("sink", {"type": "discard_sink"})))
    small = child()
    small["resources"]["near"]["memory_bytes"] = 64 << 20
    write(tmp_path / "d.json", small)
    ended = call("run", "g.json", "--deployment", "d.json", "--report", "report.json")
    assert ended.code == 0, ended.err
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["operators"]["sink"]["packets_in"] == 100_000
    assert report["resources"]["near"]["max_memory_bytes"] < 400e6


@pytest.mark.connector("jdbc", "large")
def test_a_row_of_15_mb_passes_and_one_of_17_is_bad(call: Call, tmp_path: Path, server: Postgres, schema: str) -> None:
    server.execute(f"CREATE TABLE {schema}.large AS SELECT id, repeat('x', size) AS text FROM "
                   "(VALUES (1, 15000000), (2, 17000000), (3, 1)) sizes (id, size)")
    server.execute(f"CREATE TABLE {schema}.copies (id INT, text TEXT)")
    large = {"type": "jdbc_source", **server.connection(schema), "table": "large", "schema": "id INT, text STRING",
             "column": "id", "on_error": {"type": "skip"}}
    write(tmp_path / "g.json", chain(("source", large), ("sink", {**sink(server.connection(schema)), "table": "copies"})))
    ended = call("run", "g.json", "--jar", postgres.driver_jar(), "--state", "state")
    assert ended.code == 0, ended.err
    assert server.execute(f"SELECT id, length(text) FROM {schema}.copies ORDER BY id") == [(1, 15_000_000), (3, 1)]


WRONG: dict[str, tuple[Fields, list[str]]] = {
    "table": ({"table": "reading"}, ['relation "reading" does not exist', "did you mean `readings`?"]),
    "column": ({"columns": ["id", "device", "celsius", "more"]}, ["`table`: readings has no column `more`; it has id, device"]),
    "password": ({"user": "locked", "password_file": "password.txt"}, ['password authentication failed for user "locked"']),
    "host": ({"url": "jdbc:postgresql://no-such-host.invalid/plant", "retry_for_ms": 10},
             ["the host is unknown: no-such-host.invalid", "tried again for retry_for_ms=10"]),
    "database": ({"url": "jdbc:postgresql://127.0.0.1:{port}/nowhere"}, ['database "nowhere" does not exist']),
    "right": ({"user": "visitor"}, ["permission denied for", "let an administrator execute: GRANT"]),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.connector("jdbc", "missing", "refused")
def test_what_is_wrong_is_told_at_the_start(call: Call, tmp_path: Path, server: Postgres, schema: str,
                                            wrong: str) -> None:
    make(server, schema)
    server.execute("DROP OWNED BY visitor, locked") if server.execute(
        "SELECT 1 FROM pg_roles WHERE rolname = 'visitor'") else server.execute(
        "CREATE ROLE visitor LOGIN; CREATE ROLE locked LOGIN PASSWORD 'secret'")
    server.execute(f"GRANT USAGE ON SCHEMA {schema} TO visitor; GRANT SELECT ON {schema}.readings TO visitor")
    (tmp_path / "password.txt").write_text("s3cret\n")
    fields, words = WRONG[wrong]
    written = json.loads(json.dumps(fields).replace("{port}", str(server.port)))
    more = source(10)
    more["rows"]["select"].append("id AS more")
    write(tmp_path / "g.json", chain(("source", more if wrong == "column" else source(10)),
                                     ("sink", {**sink(server.connection(schema)), **written})))
    ended = call("run", "g.json", "--jar", postgres.driver_jar(), "--quiet")
    assert ended.code == 1, ended.err
    assert "\ng.json:" in f"\n{ended.err}"
    for each in words:
        assert each in ended.err
    assert "Exception" not in ended.err
    assert "s3cret" not in ended.err


@pytest.mark.connector("jdbc", "bad")
def test_bad_rows_leave_by_errors(call: Call, tmp_path: Path, server: Postgres, schema: str) -> None:
    table = make(server, schema, extra=" CHECK (id % 1000 <> 7)")
    graph = chain(("source", source()), ("sink", {**sink(server.connection(schema)), "on_error": {"type": "dead_letter"}}))
    graph["operators"]["bad"] = {"type": "file_sink", "path": "bad", "format": "json"}
    graph["links"].append({"from": "sink.errors", "to": "bad"})
    write(tmp_path / "g.json", graph)
    for options in ((), ("--state", "state", "--epoch-ms", "100")):
        server.execute(f"TRUNCATE {table}")
        ended = call("run", "g.json", "--jar", postgres.driver_jar(), *options)
        assert ended.code == 0, ended.err
        assert server.execute(f"SELECT count(*), count(DISTINCT id) FROM {table}") == [(ROWS - 20, ROWS - 20)]
        if not options:
            letters = written_rows(tmp_path / "bad")
            assert len(letters) == 20
            assert all('violates check constraint "readings_id_check"' in letter["reason"] for letter in letters)
            graph["operators"]["bad"]["path"] = "bad_later"
            write(tmp_path / "g.json", graph)


@pytest.mark.connector("jdbc", "promise")
def test_what_is_promised_is_said(call: Call, tmp_path: Path) -> None:
    connection = {"url": "jdbc:postgresql://127.0.0.1/plant", "driver": postgres.DRIVER}
    followed = {"type": "jdbc_source", **connection, "table": "t", "schema": "id BIGINT", "column": "id", "follow": True}
    write(tmp_path / "g.json", chain(("source", followed), ("sink", sink(connection)), settings={"guarantee": "exactly_once"}))
    told = call("check", "g.json", "--guarantee", "--jar", postgres.driver_jar())
    assert told.code == 0, told.err
    assert "each row comes out exactly once" in told.out + told.err
    assert "source: replayable" in told.out + told.err
    assert "sink: marked" in told.out + told.err


@pytest.mark.connector("jdbc", "stubbed")
def test_both_are_stubbed_by_a_test(call: Call, tmp_path: Path) -> None:
    connection = {"url": "jdbc:postgresql://127.0.0.1/plant", "driver": postgres.DRIVER}
    origin = {"type": "jdbc_source", **connection, "table": "t", "schema": "id BIGINT"}
    write(tmp_path / "g.graph.json", chain(("source", origin), ("twice", {"type": "project", "select": ["id * 2 AS id"]}),
                                           ("sink", sink(connection))))
    write(tmp_path / "g.test.json", {"graph": "g.graph.json", "cases": [
        {"name": "doubles", "inputs": {"source": [{"id": 3}]}, "expect": {"sink": [{"id": 6}]}}]})
    ended = call("test", "g.test.json", "--jar", postgres.driver_jar())
    assert ended.code == 0, ended.out + ended.err


@pytest.mark.connector("jdbc", "spark")
def test_python_gives_rows_in_place_of_a_table(engine: Engine, server: Postgres, schema: str) -> None:
    table = make(server, schema)
    origin = {"type": "jdbc_source", **server.connection(schema), "table": "nowhere", "schema": "id BIGINT"}
    graph = Graph.from_dict(chain(("source", origin), ("sink", sink(server.connection(schema)))))
    with graph.start(engine, RunOptions(jars=[postgres.driver_jar()]), inputs={"source": [{"id": 0}, {"id": 1}]}) as job:
        job.wait()
    holds_each_once(server, table, 2)
