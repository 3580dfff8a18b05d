"""Operators that are classes of the user's: the example as its reader runs it, and each way in which a class is of no use."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.conftest import Call, Start
from support.graphs import Fields, chain, csv_source, rows, write
from support.java import compiled, java_tools
from support.processes import ROOT
from support.written import written_rows

EXAMPLE = ROOT / "examples" / "java-operator"
CHANGES = {
    ("2026-01-01T00:00:00.000Z", "oven", 20.0, None), ("2026-01-01T00:00:01.000Z", "pump", 30.0, None),
    ("2026-01-01T00:00:03.000Z", "oven", 21.0, 1.0), ("2026-01-01T00:00:04.000Z", "pump", 29.0, -1.0),
    ("2026-01-01T00:00:07.000Z", "oven", 20.25, -0.75),
}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, copied and built by its own script."""
    folder = tmp_path_factory.mktemp("example") / "java-operator"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("build", "changes"))
    path = os.pathsep.join([str(Path(sys.executable).parent), str(java_tools()), os.environ["PATH"]])
    built = subprocess.run([folder / "build.sh"], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True)
    assert built.stdout == "3 checks passed\n"
    return folder


def found(folder: Path) -> set[tuple[object, ...]]:
    lines = written_rows(folder)
    assert len(lines) == len(CHANGES)
    return {(row["ts"], row["device"], row["celsius"], row.get("change")) for row in lines}


@pytest.mark.parametrize("deployed", [False, True], ids=["--jar", "deployment"])
def test_the_example_runs(example: Path, start: Start, tmp_path: Path, deployed: bool) -> None:
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    where = ["--deployment", "two_resources.deploy.json"] if deployed else ["--jar", "build/changes.jar"]
    ended = start("run", "changes.graph.json", *where, "--report", "report.json").end()
    assert ended.code == 0, ended.err
    assert found(tmp_path / "changes") == CHANGES
    assert json.loads((tmp_path / "report.json").read_text())["operators"]["changes"]["errors"] == 1
    assert "com.acme.Changes: IllegalArgumentException: a reading without a value (Changes.java:" in ended.err


def test_a_class_has_several_ports(example: Path, start: Start, tmp_path: Path) -> None:
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    ended = start("run", "limits.graph.json", "--jar", "build/changes.jar").end()
    assert ended.code == 0, ended.err
    lines = {port: sorted("".join(part.read_text() for part in (tmp_path / port).glob("part-*")).split())
             for port in ("fine", "alarms")}
    assert lines == {"fine": ["oven,21.0"], "alarms": ["pump,30.0,29.5"]}


OPERATOR = "public final class {} implements RowOperator {{ {} public void process(Row row, RowWriter out) {{ {} }} }}"
CLASSES = {
    "Throwing": OPERATOR.format("Throwing", "", 'throw new IllegalStateException("no " + row.getLong(0));'),
    "Unmade": OPERATOR.format("Unmade", 'public Unmade() { throw new IllegalStateException("not today"); }', ""),
    "Hidden": OPERATOR.format("Hidden", "private Hidden() { }", ""),
    "Other": "public final class Other { }",
    "Keeping": OPERATOR.format("Keeping", 'public String state() { return "n BIGINT"; }', ""),
    "Ddl": OPERATOR.format("Ddl", 'public String state() { return "n BIGIN"; }', ""),
    "Optioned": OPERATOR.format("Optioned", 'public void open(Context context) { context.option("least"); }', ""),
    "Curious": OPERATOR.format("Curious", "", 'try { Class.forName("io.despina.packet.Packet"); } '
                               'catch (ClassNotFoundException unseen) { throw new IllegalStateException("unseen"); }'),
    "Marking": OPERATOR.format("Marking", 'static { try { new java.io.File(System.getenv("MARK")).createNewFile(); } '
                               "catch (java.io.IOException e) { throw new RuntimeException(e); } }", ""),
}


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("classes"), **CLASSES)


def graph(class_name: str, **fields: object) -> Fields:
    return chain(("source", rows(3, "id")), ("mine", {"type": "java", "class": f"org.example.{class_name}", **fields}),
                 ("sink", {"type": "discard_sink"}))


@pytest.mark.parametrize(("class_name", "fields", "words"), [
    ("Throwing", {}, "org.example.Throwing: IllegalStateException: no 0 (Throwing.java:3)"),
    ("Unmade", {}, "org.example.Unmade: IllegalStateException: not today (Unmade.java:3)"),
    ("Hidden", {}, "class org.example.Hidden cannot be made: it must be public, not abstract, and have a public constructor"),
    ("Other", {}, "class org.example.Other does not implement io.despina.api.RowOperator"),
    ("Missing", {}, "there is no class org.example.Missing in the jars of this resource"),
    ("Keeping", {"parallelism": 2}, "it keeps state, and without `group_by` it can have but one instance"),
    ("Ddl", {}, "`n BIGIN`: "),
    ("Optioned", {}, "the graph gives no option `least`: add it to `options`"),
    ("Curious", {}, "IllegalStateException: unseen"),
])
def test_a_class_that_cannot_be_used_fails_the_job(classes: Path, call: Call, tmp_path: Path, class_name: str, fields: Fields,
                                                   words: str) -> None:
    write(tmp_path / "g.json", graph(class_name, **fields))
    ended = call("run", "g.json", "--jar", classes)
    assert ended.code == 1
    assert words in ended.err
    assert "mine" in ended.err


def test_a_jar_that_is_not_there_fails_the_job(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "g.json", graph("Throwing"))
    ended = call("run", "g.json", "--jar", "gone.jar")
    assert ended.code == 1
    assert f"resource `local` cannot read {tmp_path}/gone.jar, which is among its jars" in ended.err


@pytest.mark.parametrize("allowed", [["org.example.Marking"], ["org.example.Other", "org.exam.*"]], ids=["allowed", "refused"])
def test_a_class_is_loaded_only_where_the_deployment_allows_it(classes: Path, start: Start, tmp_path: Path,
                                                               allowed: list[str]) -> None:
    mark = tmp_path / "loaded"
    write(tmp_path / "g.json", graph("Marking"))
    write(tmp_path / "d.json", {"format": 1, "resources": {"near": {"jars": [str(classes)], "allow_classes": allowed}}})
    ended = start("run", "g.json", "--deployment", "d.json", MARK=str(mark)).end()
    if "org.example.Marking" in allowed:
        assert ended.code == 0, ended.err
        assert mark.exists()
    else:
        assert ended.code == 2
        assert "operator `mine` needs class org.example.Marking, which resource `near` does not allow" in ended.err
        assert not mark.exists()


def test_without_a_jar_the_graph_is_refused(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "g.json", graph("Throwing"))
    ended = call("run", "g.json")
    assert ended.code == 2
    assert "name its jar with --jar" in ended.err


def test_jars_beside_a_deployment_are_refused(classes: Path, call: Call, tmp_path: Path) -> None:
    write(tmp_path / "g.json", graph("Throwing"))
    write(tmp_path / "d.json", {"format": 1, "resources": {"near": {}}})
    ended = call("run", "g.json", "--deployment", "d.json", "--jar", classes)
    assert ended.code == 2
    assert 'name them in the deployment: "jars" of a resource' in ended.err


def test_letters_carry_what_the_class_says(classes: Path, call: Call, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("7,a\n")
    made = chain(("source", csv_source("in.csv")),
                 ("mine", {"type": "java", "class": "org.example.Throwing", "on_error": {"type": "dead_letter"}}),
                 ("sink", {"type": "discard_sink"}))
    made["operators"]["letters"] = {"type": "file_sink", "path": "letters", "format": "json"}
    made["links"].append({"from": "mine.errors", "to": "letters"})
    write(tmp_path / "g.json", made)
    ended = call("run", "g.json", "--jar", classes)
    assert ended.code == 0, ended.err
    letters = written_rows(tmp_path / "letters")
    assert [(letter["reason"], json.loads(letter["record"])["id"]) for letter in letters] == [
        ("org.example.Throwing: IllegalStateException: no 7 (Throwing.java:3)", 7)]


ENDS = {
    "Numbers": """
        public final class Numbers implements RowSource {
            private long next;
            private long step;
            private long most;
            public void open(Context context) {
                next = context.instance();
                step = context.parallelism();
                most = Long.parseLong(context.option("most"));
            }
            public long produce(RowWriter out) {
                if (next >= most) {
                    return ENDED;
                }
                out.begin().setLong(0, next).setString(1, "row " + next).commit();
                next += step;
                return 0;
            }
        }""",
    "Lines": """
        public final class Lines implements RowSink {
            private final StringBuilder lines = new StringBuilder();
            private java.nio.file.Path hidden;
            private java.nio.file.Path shown;
            public void open(Context context) {
                shown = java.nio.file.Path.of(context.option("folder"), "lines-" + context.instance());
                hidden = shown.resolveSibling("." + shown.getFileName());
            }
            public void write(Row row) {
                if (row.getLong(0) == 13) {
                    throw new IllegalStateException("unlucky");
                }
                lines.append(row.getString(1)).append('\\n');
            }
            public void prepare(long epoch) throws java.io.IOException {
                java.nio.file.Files.writeString(hidden, lines);
            }
            public void commit(long epoch) throws java.io.IOException {
                java.nio.file.Files.move(hidden, shown);
            }
            public void abort() throws java.io.IOException {
                java.nio.file.Files.deleteIfExists(hidden);
            }
        }""",
}


def ends(folder: Path, on_error: str, blocks: bool) -> Fields:
    """Numbers from two instances into files of two more."""
    source = {"type": "java_source", "class": "org.example.Numbers", "schema": "n BIGINT NOT NULL, text STRING", "parallelism": 2,
              "options": {"most": "5000"}, "blocks": blocks}
    sink = {"type": "java_sink", "class": "org.example.Lines", "parallelism": 2, "options": {"folder": str(folder)},
            "on_error": {"type": on_error}, "blocks": blocks}
    return chain(("source", source), ("sink", sink))


@pytest.fixture(scope="module")
def classes_of_ends(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("ends"), **ENDS)


@pytest.mark.parametrize("blocks", [False, True], ids=["on a worker", "on threads of their own"])
def test_rows_come_from_a_class_and_go_to_a_class(classes_of_ends: Path, call: Call, tmp_path: Path, blocks: bool) -> None:
    write(tmp_path / "g.json", ends(tmp_path, "skip", blocks))
    ended = call("run", "g.json", "--jar", classes_of_ends)
    assert ended.code == 0, ended.err
    found = [line for part in tmp_path.glob("lines-*") for line in part.read_text().splitlines()]
    assert sorted(found) == sorted(f"row {n}" for n in range(5000) if n != 13)
    assert not list(tmp_path.glob(".lines-*"))


def test_a_job_that_fails_shows_no_row_of_a_sink_that_commits(classes_of_ends: Path, call: Call, tmp_path: Path) -> None:
    write(tmp_path / "g.json", ends(tmp_path, "fail", blocks=False))
    ended = call("run", "g.json", "--jar", classes_of_ends)
    assert ended.code == 1
    assert "org.example.Lines: IllegalStateException: unlucky (Lines.java:" in ended.err
    assert not list(tmp_path.glob("*lines-*"))
