"""``lookup`` and ``sql`` in a database, with a driver that the user gives, and what is said where something is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from e2e.conftest import Call, Start
from support.databases import Database, driver_jar
from support.graphs import Fields, chain, csv_source, write
from support.written import written_rows

ROOMS = ("CREATE TABLE rooms (word TEXT, room TEXT)",
         "INSERT INTO rooms VALUES ('one', 'north'), ('two', 'south'), ('one', 'attic')")
SEEN = "CREATE TABLE seen (id INTEGER PRIMARY KEY, word TEXT)"
FILES = {"type": "file_sink", "path": "out", "format": "json"}


@pytest.fixture
def database(tmp_path: Path) -> Database:
    (tmp_path / "in.csv").write_text("1,one\n2,two\n3,three\n")
    return Database(tmp_path / "plant.db", *ROOMS, SEEN)


def rooms(connection: Fields, **fields: object) -> Fields:
    table = {"type": "jdbc", **connection, "table": "rooms", "schema": "word STRING, room STRING", **fields}
    return {"type": "lookup", "key": {"word": "word"}, "from": table}


def store(connection: Fields, **fields: object) -> Fields:
    return {"type": "sql", "connection": connection, "statement": "INSERT INTO seen VALUES (:id, :word)", **fields}


def out(folder: Path) -> list[list[object]]:
    lines = written_rows(folder / "out")
    return sorted(([row["id"], row["word"], row.get("room")] for row in lines), key=str)


@pytest.mark.parametrize("deployed", [False, True], ids=["--jar", "deployment"])
def test_rows_of_a_database_join_packets_and_packets_are_stored(call: Call, tmp_path: Path, database: Database,
                                                                deployed: bool) -> None:
    graph = chain(("source", csv_source("in.csv")), ("store", store(database.connection(), batch_rows=2)),
                  ("look", rooms(database.connection())), ("sink", FILES))
    write(tmp_path / "g.json", graph)
    write(tmp_path / "d.json", {"format": 1, "resources": {"near": {
        "jars": [str(driver_jar())], "allow_classes": ["org.sqlite.JDBC"]}}})
    ended = call("run", "g.json", *(["--deployment", "d.json"] if deployed else ["--jar", driver_jar()]))
    assert ended.code == 0, ended.err
    assert out(tmp_path) == [[1, "one", "attic"], [1, "one", "north"], [2, "two", "south"], [3, "three", None]]
    assert database.execute("SELECT * FROM seen ORDER BY id") == [(1, "one"), (2, "two"), (3, "three")]


def test_a_query_gives_rows(call: Call, tmp_path: Path, database: Database) -> None:
    query = store(database.connection(), statement="SELECT room FROM rooms WHERE word = :word", schema="room STRING", how="left")
    write(tmp_path / "g.json", chain(("source", csv_source("in.csv")), ("query", query), ("sink", FILES)))
    ended = call("run", "g.json", "--jar", driver_jar())
    assert ended.code == 0, ended.err
    assert out(tmp_path) == [[1, "one", "attic"], [1, "one", "north"], [2, "two", "south"], [3, "three", None]]


WRONG: dict[str, tuple[str, Fields, str]] = {
    "url": ("connection", {"url": "jdbc:sqlit:plant.db"}, "driver org.sqlite.JDBC takes no URL that begins with `jdbc:sqlit:`; "
            "check `url`"),
    "file": ("connection", {"url": "jdbc:sqlite:/nowhere/plant.db"}, "/nowhere"),
    "driver": ("connection", {"driver": "org.sqlite.JBDC"}, "there is no class org.sqlite.JBDC in the jars of this resource"),
    "no driver": ("connection", {"driver": "org.sqlite.SQLiteConfig"},
                  "class org.sqlite.SQLiteConfig does not implement java.sql.Driver"),
    "password": ("connection", {"password_env": "NO_SUCH_WORD"}, "NO_SUCH_WORD"),
    "table": ("look", {"table": "romms"}, "no such table: romms"),
    "column": ("look", {"schema": "word STRING, romm STRING"}, "no such column: romm"),
    "statement": ("store", {"statement": "INSERT INT seen VALUES (:id)"}, 'near "INT": syntax error'),
    "query": ("store", {"statement": "SELECT room FROM rooms WHERE word = :word"},
              "the statement gives rows; name their columns in `schema`"),
    "columns": ("store", {"statement": "SELECT room, word FROM rooms WHERE word = :word", "schema": "room STRING"},
                "the statement gives 2 columns, and `schema` has 1 column"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_told_before_the_first_packet(call: Call, tmp_path: Path, database: Database, wrong: str) -> None:
    where, fields, words = WRONG[wrong]
    connection = database.connection(**(fields if where == "connection" else {}))
    operator = store(connection, **(fields if where == "store" else {})) if where != "look" else rooms(connection, **fields)
    operator["on_error"] = {"type": "skip"}
    write(tmp_path / "g.json", chain(("source", csv_source("in.csv")), ("mine", operator), ("sink", FILES)))
    ended = call("run", "g.json", "--jar", driver_jar(), "--quiet")
    assert ended.code == 1, ended.err
    assert ended.err.startswith("g.json:")
    rule = "opening" if "driver" in wrong else "operator"       # a server may be well again at the next attempt, a class not
    assert f"error[{rule}]: operator mine, " in ended.err
    assert words in ended.err
    assert "Exception" not in ended.err


def test_without_a_jar_the_class_is_named_before_the_run(call: Call, tmp_path: Path, database: Database) -> None:
    write(tmp_path / "g.json", chain(("source", csv_source("in.csv")), ("store", store(database.connection())), ("sink", FILES)))
    ended = call("run", "g.json")
    assert ended.code == 2
    assert "operator `store` needs class org.sqlite.JDBC" in ended.err
    assert "name its jar with --jar" in ended.err


def test_a_row_that_the_database_refuses_is_shown(call: Call, tmp_path: Path, database: Database) -> None:
    database.execute("INSERT INTO seen VALUES (2, 'before')")
    write(tmp_path / "g.json", chain(("source", csv_source("in.csv")), ("store", store(database.connection(), batch_rows=3)),
                                     ("sink", FILES)))
    ended = call("run", "g.json", "--jar", driver_jar(), "--quiet")
    assert ended.code == 1
    assert '; record: {"id": 2, "word": "two"}\n' in ended.err


def test_the_graph_of_the_page_writes_a_table(start: Start, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "databases.md").read_text()
    table = re.search(r"sqlite3 plant.db '(.*)'", page)
    graph = re.search(r"```json\n(\{\n.*?\n\})\n```\n\n- The table must be there", page, re.DOTALL)
    assert table
    assert graph
    plant = Database(tmp_path / "plant.db", table[1])
    (tmp_path / "into_a_table.graph.json").write_text(graph[1][graph[1].index('{\n  "format": 1,\n  "name": "into_a_table"'):])
    ended = start("run", "into_a_table.graph.json", "--jar", driver_jar()).end()
    assert ended.code == 0, ended.err
    assert plant.execute("SELECT count(*), sum(n), avg(celsius) FROM means") == [(10, 10_000, pytest.approx(34.5, abs=1))]
