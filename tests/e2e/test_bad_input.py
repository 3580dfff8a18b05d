"""What goes wrong at a user's hands: a clear error that says what to do, the right exit code, no hang, no process left."""

from __future__ import annotations

import json
import re
import resource
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Call, Start
from support.databases import Database, driver_jar
from support.graphs import TWO, Fields, chain, csv_source, relay, rows, write
from support.java import compiled
from support.processes import Command, until
from support.sockets import Reader, Row, port

COLLECT: tuple[str, Fields] = ("sink", {"type": "collect_sink"})
LINES = "1,one\n2,two\nthree,3\n4\n5,five\n"
"""Two good lines, one with a word for a number, one too short, one good."""

ANY = r"[\w.]+"


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    file = tmp_path / "in.csv"
    file.write_text(LINES)
    return file


def told(err: str, rule: str) -> str:
    """The message of the error of that rule, and its hint."""
    found = re.search(rf"error\[{rule}\]: (.*)\Z", err, re.DOTALL)
    assert found, err
    assert "Traceback" not in err
    assert "Exception" not in err
    return found[1]


def test_a_broken_graph_is_told_line_by_line(call: Call, tmp_path: Path) -> None:
    graph = tmp_path / "broken.graph.json"
    graph.write_text('{\n  "format": 1,\n  "name": "broken",\n  "operators": {\n'
                     '    "a": {"type": "generator_source", "count": 5, "rows": {"type": "select", "select": ["id AS n"]}},\n'
                     '    "b": {"type": "filter", "where": "m > 1"},\n'
                     '    "c": {"type": "colect_sink"}\n  },\n'
                     '  "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "d"}]\n}\n')
    ended = call("run", graph)
    assert (ended.code, ended.out) == (2, "")
    errors = [line for line in ended.err.splitlines() if not line.startswith("  hint: ")]
    assert len(errors) >= 2
    assert all(re.match(rf"{re.escape(str(graph))}:\d+:\d+: error\[{ANY}\]: ", line) for line in errors), ended.err
    assert f"{graph}:7:" in ended.err
    assert "did you mean" in ended.err


def test_children_of_a_refused_graph_say_nothing(start: Start, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(("source", rows(5, "id AS number")), ("sink", {"type": "discard_sink", "x": 1})))
    ended = start("run", graph, "--deployment", write(tmp_path / "d.json", TWO)).end()
    assert ended.code == 2
    [line] = [line for line in ended.err.splitlines() if not line.startswith("  hint: ")]
    assert "error[unknown_field]: unknown field `x` in discard_sink" in line


def test_a_misspelt_file_is_told_with_its_neighbour(call: Call, tmp_path: Path, csv: Path) -> None:
    missing = csv.with_name("inn.csv")
    graph = write(tmp_path / "g.json", chain(("source", csv_source(missing)), COLLECT))
    ended = call("run", graph, "--quiet")
    assert ended.code == 1
    assert told(ended.err, "operator").endswith(
        f"no such file or folder: {missing}; check `path`\n  hint: did you mean `{csv.name}`?\n")


def test_the_wrong_expression_is_told_with_its_place(call: Call, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(("source", rows(5, "id AS number")), ("b", {"type": "filter", "where": "numer > 1"}),
                                             COLLECT))
    ended = call("run", graph)
    assert ended.code == 2
    line = 1 + next(n for n, text in enumerate(graph.read_text().splitlines()) if "numer > 1" in text)
    assert ended.err.startswith(f"{graph}:{line}:")
    assert "number" in ended.err.split("hint: ")[1]


def test_a_missing_input_file_is_named(call: Call, tmp_path: Path) -> None:
    sink = {"type": "file_sink", "path": "runs/out", "format": "json"}
    graph = write(tmp_path / "g.json", chain(("source", csv_source("nothing/here.csv")), ("sink", sink)))
    ended = call("run", graph)
    assert ended.code == 1
    assert not (tmp_path / "runs").exists()
    words = told(ended.err, ANY)
    assert str(tmp_path / "nothing/here.csv") in words
    assert "source" in words


@pytest.mark.parametrize("place", [None, TWO])
def test_a_bad_line_fails_the_job_with_its_place(call: Call, tmp_path: Path, csv: Path, place: Fields | None) -> None:
    graph = write(tmp_path / "g.json", chain(("source", csv_source(csv)), COLLECT))
    deployed = [] if place is None else ["--deployment", write(tmp_path / "d.json", place)]
    ended = call("run", graph, *deployed)
    assert ended.code == 1
    line = 1 + next(n for n, text in enumerate(graph.read_text().splitlines()) if '"source": {' in text)
    assert f"{graph}:{line}:" in ended.err
    words = told(ended.err, ANY)
    assert f"{csv}:3" in words
    assert "three" in words
    assert "on_error" in words


@pytest.mark.parametrize(("select", "words"), [
    ("10 / (id - 3) AS x", "Division by zero"),
    ("CAST(id * 50 AS TINYINT) AS x", "cannot be cast"),
])
def test_an_expression_that_fails_shows_the_record(call: Call, tmp_path: Path, select: str, words: str) -> None:
    graph = chain(("source", rows(9, "id")), ("op", {"type": "project", "select": [select]}), COLLECT)
    ended = call("run", write(tmp_path / "g.json", graph), "--quiet")
    assert ended.code == 1
    said = told(ended.err, "operator")
    assert words in said
    assert '; record: {"id": 3}\n' in said
    assert ".; record" not in said


def test_a_missing_file_of_a_lookup_is_told_by_its_own_field(call: Call, tmp_path: Path) -> None:
    look = {"type": "lookup", "key": {"id": "id"}, "from": {"type": "file", "path": "table.csv", "format": "csv",
            "schema": "id BIGINT, n INT"}}
    graph = chain(("source", rows(9, "id")), ("look", look), COLLECT)
    ended = call("run", write(tmp_path / "g.json", graph), "--quiet")
    assert ended.code == 1
    assert f"operator look, instance 0: no such file or folder: {tmp_path}/table.csv; check `path`" in told(ended.err, "operator")


def run_rows(start: Start, tmp_path: Path, graph: Fields, *sinks: str) -> dict[str, list[Any]]:
    """Runs a graph whose sinks write json lines, and reads them."""
    ended = start("run", write(tmp_path / "g.json", graph), "--report", tmp_path / "r.json").end()
    assert ended.code == 0, ended.err
    return {sink: [json.loads(line) for file in sorted((tmp_path / sink).glob("[!._]*"))
                   for line in file.read_text().splitlines()] for sink in sinks}


def test_skip_counts_what_it_skips_and_shows_the_first(call: Call, tmp_path: Path, csv: Path) -> None:
    graph = chain(("source", csv_source(csv, on_error={"type": "skip"})),
                  ("sink", {"type": "file_sink", "path": "sink", "format": "json"}))
    ended = call("run", write(tmp_path / "g.json", graph), "--report", tmp_path / "r.json")
    assert ended.code == 0, ended.err
    assert [json.loads(line)["id"] for file in sorted((tmp_path / "sink").glob("[!._]*"))
            for line in file.read_text().splitlines()] == [1, 2, 5]
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["operators"]["source"]["errors"] == 2
    first = report["skipped"]["source"]
    assert first.startswith(f"{csv}:3: ")
    assert first.endswith(": three,3")
    assert f"  source: 0 in, 3 out, 2 skipped, the first: {first}\n" in ended.err


def test_dead_letters_carry_the_record_and_the_reason(start: Start, tmp_path: Path, csv: Path) -> None:
    graph = chain(("source", csv_source(csv, on_error={"type": "dead_letter"})),
                  ("good", {"type": "file_sink", "path": "good", "format": "json"}))
    graph["operators"]["bad"] = {"type": "file_sink", "path": "bad", "format": "json"}
    graph["links"].append({"from": "source.errors", "to": "bad"})
    found = run_rows(start, tmp_path, graph, "good", "bad")
    assert [row["id"] for row in found["good"]] == [1, 2, 5]
    assert [(row["record"], row["operator"]) for row in found["bad"]] == [("three,3", "source"), ("4", "source")]
    assert all(row["reason"] for row in found["bad"])


def test_a_control_port_in_use_is_told(start: Start, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        place = {**TWO, "resources": {"near": {"start": "child"}, "far": {"start": "child", "control_port": port}}}
        ended = start("run", write(tmp_path / "g.json", relay(10)), "--deployment", write(tmp_path / "d.json", place)).end()
    assert ended.code == 3
    words = told(ended.err, "port_in_use")
    assert f"127.0.0.1:{port}" in words
    assert "control_port" in words.split("hint: ")[1]


def test_options_of_resources_that_java_does_not_know_are_told(start: Start, tmp_path: Path) -> None:
    ended = start("run", write(tmp_path / "g.json", relay(10)), "--deployment", write(tmp_path / "d.json", TWO),
                  DESPINA_RESOURCE_JAVA_OPTIONS="-Xmx99m -XX:NoSuchFlag=1").end()
    assert ended.code == 3
    assert "Unrecognized VM option 'NoSuchFlag=1'" in ended.err


@pytest.mark.parametrize("how", ["JAVA_HOME", "PATH"])
def test_a_java_that_is_too_old(start: Start, tmp_path: Path, how: str) -> None:
    java = tmp_path / "old" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    where = {"JAVA_HOME": str(tmp_path / "old")} if how == "JAVA_HOME" else {"JAVA_HOME": "", "PATH": str(java.parent)}
    ended = start("run", write(tmp_path / "g.json", relay(10)), **where).end()
    assert ended.code == 3
    words = told(ended.err, "java_too_old")
    assert "Java 17 or newer is needed" in words
    assert "is Java 11" in words
    assert "install" in words.split("hint: ")[1]


@pytest.mark.parametrize(("file", "hint"), [("part-00000-00001.json", "if_exists"), ("mine.txt", "another folder")])
def test_an_output_folder_that_is_not_empty_is_left_alone(call: Call, tmp_path: Path, file: str, hint: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / file).write_text("keep me\n")
    graph = chain(("source", rows(5, "id AS n")), ("sink", {"type": "file_sink", "path": "out", "format": "json"}))
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code in (1, 2)
    words = told(ended.err, ANY)
    assert str(tmp_path / "out") in words
    assert hint in words
    assert {found.name: found.read_text() for found in (tmp_path / "out").iterdir()} == {file: "keep me\n"}


@pytest.mark.parametrize("path", ["/proc/despina/out", "a_file/out"])
def test_an_output_path_that_cannot_be_written(call: Call, tmp_path: Path, path: str) -> None:
    (tmp_path / "a_file").touch()
    graph = chain(("source", rows(5, "id AS n")), ("sink", {"type": "file_sink", "path": path, "format": "json"}))
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 1
    words = told(ended.err, ANY)
    assert str(tmp_path / path) in words
    assert "sink" in words


def test_a_disk_that_is_full(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", rows(200_000, "id AS n")), ("sink", {"type": "file_sink", "path": "out", "format": "json"}))
    command = start("run", write(tmp_path / "g.json", graph))
    resource.prlimit(command.pid, resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    ended = command.end()
    assert ended.code == 1
    assert str(tmp_path / "out") in told(ended.err, ANY)
    assert not list((tmp_path / "out").glob("[!._]*"))


def test_a_disk_that_is_full_leaves_a_single_file_whole(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", rows(200_000, "id AS n", rate_per_s=100_000)),
                  ("sink", {"type": "file_sink", "path": "out.csv", "format": "csv", "single_file": True, "roll_bytes": 100_000}))
    command = start("run", write(tmp_path / "g.json", graph))
    resource.prlimit(command.pid, resource.RLIMIT_FSIZE, (1 << 19, 1 << 19))
    ended = command.end()
    assert ended.code == 1
    assert str(tmp_path / "out.csv") in told(ended.err, ANY)
    shown = (tmp_path / "out.csv").read_text()
    assert shown == "".join(f"{n}\n" for n in range(shown.count("\n")))
    assert start("leftovers", "out.csv", "--take").end().code == 0
    taken = (tmp_path / "out.csv").read_text()
    assert taken == "".join(f"{n}\n" for n in range(taken.count("\n")))
    assert len(taken) > len(shown)


def test_a_secret_that_others_may_read_is_refused(start: Start, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef0123456789abcdef")
    secret.chmod(0o644)
    place = {**TWO, "resources": {"near": {}, "far": {"start": "join", "host": "127.0.0.2", "control_port": 7171}}}
    run = start("run", write(tmp_path / "g.json", relay(10)), "--deployment", write(tmp_path / "d.json", place),
                "--secret-file", secret)
    resource_ = start("resource", "--name", "far", "--join", "127.0.0.1:7171", "--secret-file", secret)
    for command in (run, resource_):
        ended = command.end()
        assert ended.code == 3
        words = told(ended.err, "secret_file")
        assert "rw-r--r--" in words
        assert f"chmod 600 {secret}" in words.split("hint: ")[1]


ASKED = {"type": "tcp_source", "port": 0, "format": "csv", "schema": "id BIGINT, word STRING",
         "on_error": {"type": "dead_letter"}}
LONG_MS = 3_600_000


def asking(answers: Reader, letters: Reader, look: Fields | None = None) -> Fields:
    """A graph that answers each line that it gets over TCP, by a lookup or as it is; dead letters go another way."""
    looks = [] if look is None else [("look", {**look, "on_error": {"type": "dead_letter"}})]
    graph = chain(("source", ASKED), *looks, ("answers", answers.sink()))
    graph["operators"]["letters"] = letters.sink()
    graph["links"] += [{"from": f"{operator}.errors", "to": "letters"} for operator in ("source", *dict(looks))]
    return graph


def stop(command: Command) -> None:
    """Ends the job as Ctrl-C does."""
    command.interrupt()


def until_answered(ask: Callable[[], Row], column: str, value: object) -> None:
    """Asks until an answer has that value: when a change is seen is nobody's promise."""
    until(lambda: ask().get(column) == value, f"{column} {value}")


def test_a_lookup_file_that_changes_is_read_again_and_stays_where_it_is_bad(start: Start, tmp_path: Path) -> None:
    def table(text: str) -> None:
        (tmp_path / "beside").write_text(text)
        (tmp_path / "beside").rename(tmp_path / "table.csv")

    table("one,1\n")
    look = {"type": "lookup", "key": {"word": "word"}, "from": {"type": "file", "path": "table.csv", "format": "csv",
            "schema": "word STRING, n INT", "reload_ms": 1}}
    with Reader() as answers, Reader() as letters:
        command = start("run", write(tmp_path / "g.json", asking(answers, letters, look)))
        with socket.create_connection(("127.0.0.1", port(command))) as client:
            def ask(word: str = "one") -> Row:
                client.sendall(f"7,{word}\n".encode())
                return answers.row()

            assert ask() == {"id": 7, "word": "one", "n": 1}
            table("one,20\n")
            until_answered(ask, "n", 20)
            table("one,many\n")
            command.until(lambda: ask()["n"] == 20 and "goes on with the table as it was" in command.err(),
                          "word of the bad table")
            assert f"{tmp_path}/table.csv:1: " in command.err()
            table("two,300\n")
            until_answered(ask, "n", None)
            assert ask("two")["n"] == 300
            stop(command)


def test_an_answer_of_a_database_is_used_for_its_time(start: Start, tmp_path: Path) -> None:
    database = Database(tmp_path / "plant.db", "CREATE TABLE rooms (word TEXT, room TEXT)",
                        "INSERT INTO rooms VALUES ('one', 'north')")

    def look(ttl_ms: int, column: str) -> Fields:
        table = {"type": "jdbc", **database.connection(), "table": "rooms", "schema": "word STRING, room STRING"}
        return {"type": "lookup", "key": {"word": "word"}, "from": table, "cache": {"max_rows": 10, "ttl_ms": ttl_ms},
                "select": ["packet.*", f"table.room AS {column}"]}

    with Reader() as answers:
        graph = chain(("source", ASKED), ("long", look(LONG_MS, "old")), ("short", look(1, "new")), ("answers", answers.sink()))
        graph["operators"]["source"] = {**ASKED, "on_error": {"type": "skip"}}
        command = start("run", write(tmp_path / "g.json", graph), "--jar", driver_jar())
        with socket.create_connection(("127.0.0.1", port(command))) as client:
            def ask() -> Row:
                client.sendall(b"7,one\n")
                return answers.row()

            assert ask() == {"id": 7, "word": "one", "old": "north", "new": "north"}
            database.execute("UPDATE rooms SET room = 'south'")
            until_answered(ask, "new", "south")
            assert ask()["old"] == "north"
            stop(command)


SWITCHED = """
    import java.lang.reflect.*;
    import java.nio.file.*;
    import java.sql.*;
    import java.util.*;
    import java.util.logging.Logger;

    public final class Switched implements Driver {
        private final Driver real;

        public Switched() throws ReflectiveOperationException {
            real = (Driver) Class.forName("org.sqlite.JDBC").getConstructor().newInstance();
        }

        static void mustBeOn() throws SQLException {
            if (Files.exists(Path.of(System.getenv("SWITCHED_OFF")))) {
                throw new SQLException("the server is away", "08006");
            }
        }

        /** Does what the other does, while the database is on. */
        static Object switched(Class<?> as, Object real) {
            return Proxy.newProxyInstance(Switched.class.getClassLoader(), new Class<?>[] {as}, (proxy, method, arguments) -> {
                if (!method.getName().equals("close")) {
                    mustBeOn();
                }
                try {
                    Object result = method.invoke(real, arguments);
                    return result instanceof PreparedStatement made ? switched(PreparedStatement.class, made) : result;
                } catch (InvocationTargetException thrown) {
                    throw thrown.getCause();
                }
            });
        }

        public Connection connect(String url, Properties properties) throws SQLException {
            mustBeOn();
            return (Connection) switched(Connection.class, real.connect(url, properties));
        }

        public boolean acceptsURL(String url) throws SQLException {
            return real.acceptsURL(url);
        }

        public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) throws SQLException {
            return real.getPropertyInfo(url, properties);
        }

        public int getMajorVersion() {
            return real.getMajorVersion();
        }

        public int getMinorVersion() {
            return real.getMinorVersion();
        }

        public boolean jdbcCompliant() {
            return real.jdbcCompliant();
        }

        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }
"""
"""SQLite as a server that is away while a file is there."""


@pytest.mark.parametrize("operator", ["lookup", "sql"])
def test_packets_of_a_database_that_is_away_are_dead_letters_until_it_is_back(start: Start, tmp_path: Path,
                                                                              operator: str) -> None:
    database = Database(tmp_path / "plant.db", "CREATE TABLE rooms (word TEXT, room TEXT)",
                        "INSERT INTO rooms VALUES ('one', 'north')")
    connection = database.connection(driver="org.example.Switched", retry_ms=0)
    table = {"type": "jdbc", **connection, "table": "rooms", "schema": "word STRING, room STRING"}
    look: Fields = {"type": "lookup", "key": {"word": "word"}, "from": table} if operator == "lookup" else {
        "type": "sql", "connection": connection, "statement": "INSERT INTO rooms VALUES (:word, :id)"}
    off = tmp_path / "off"
    with Reader() as answers, Reader() as letters:
        graph = asking(answers, letters, look)
        command = start("run", write(tmp_path / "g.json", graph), "--jar", driver_jar(),
                        "--jar", compiled(tmp_path / "driver", Switched=SWITCHED), SWITCHED_OFF=str(off))
        with socket.create_connection(("127.0.0.1", port(command))) as client:
            client.sendall(b"1,one\n")
            assert answers.row()["id"] == 1
            off.touch()
            client.sendall(b"2,one\n")
            letter = letters.row()
            assert (letter["reason"], letter["operator"]) == ("the server is away", "look")
            assert json.loads(letter["record"]) == {"id": 2, "word": "one"}
            off.unlink()
            asked = 2

            def is_back() -> bool:
                nonlocal asked
                asked += 1
                client.sendall(f"{asked},one\n".encode())
                return answers.has_row(letters)

            until(is_back, "answer")
            assert answers.row()["id"] == asked
            stop(command)


def test_rubbish_over_a_socket_is_a_dead_letter_and_disturbs_no_other_client(start: Start, tmp_path: Path) -> None:
    rubbish = bytes(range(128, 256)) + b"\0\x01,{"
    with Reader() as answers, Reader() as letters:
        graph = asking(answers, letters)
        graph["operators"]["source"] = {**ASKED, "max_record_bytes": 1000}
        command = start("run", write(tmp_path / "g.json", graph))
        with socket.create_connection(("127.0.0.1", port(command))) as good:
            with socket.create_connection(good.getpeername()) as bad:
                who = f"127.0.0.1:{bad.getsockname()[1]}"
                bad.sendall(b"1,one\n" + rubbish + b"\n" + b"x" * 2000 + b"\n3,three\n")
            assert [answers.row()["id"], answers.row()["id"]] == [1, 3]
            first, second = letters.row(), letters.row()
            good.sendall(b"4,four\n")
            assert answers.row() == {"id": 4, "word": "four"}
            assert first["record"] == rubbish.decode(errors="replace")
            assert second["record"].startswith("xxx")
            assert all(letter["reason"].startswith(f"{who}:") for letter in (first, second)), (first, second)
            assert all(letter["operator"] == "source" for letter in (first, second))
            stop(command)
