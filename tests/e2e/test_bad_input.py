"""What goes wrong at a user's hands: a clear error that says what to do, the right exit code, no hang, no process left."""

from __future__ import annotations

import json
import re
import resource
import socket
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Start
from support.graphs import TWO, Fields, chain, csv_source, relay, rows, write

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


def test_a_broken_graph_is_told_line_by_line(start: Start, tmp_path: Path) -> None:
    graph = tmp_path / "broken.graph.json"
    graph.write_text('{\n  "format": 1,\n  "name": "broken",\n  "operators": {\n'
                     '    "a": {"type": "generator_source", "count": 5, "rows": {"type": "select", "select": ["id AS n"]}},\n'
                     '    "b": {"type": "filter", "where": "m > 1"},\n'
                     '    "c": {"type": "colect_sink"}\n  },\n'
                     '  "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "d"}]\n}\n')
    ended = start("run", graph).end()
    assert (ended.code, ended.out) == (2, "")
    errors = [line for line in ended.err.splitlines() if not line.startswith("  hint: ")]
    assert len(errors) >= 2
    assert all(re.match(rf"{re.escape(str(graph))}:\d+:\d+: error\[{ANY}\]: ", line) for line in errors), ended.err
    assert f"{graph}:7:" in ended.err
    assert "did you mean" in ended.err


def test_a_misspelt_file_is_told_with_its_neighbour(start: Start, tmp_path: Path, csv: Path) -> None:
    missing = csv.with_name("inn.csv")
    graph = write(tmp_path / "g.json", chain(("source", csv_source(missing)), COLLECT))
    ended = start("run", graph, "--quiet").end()
    assert ended.code == 1
    assert told(ended.err, "operator").endswith(
        f"no such file or folder: {missing}; check the source's `path`\n  hint: did you mean `{csv.name}`?\n")


def test_the_wrong_expression_is_told_with_its_place(start: Start, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(("source", rows(5, "id AS number")), ("b", {"type": "filter", "where": "numer > 1"}),
                                             COLLECT))
    ended = start("run", graph).end()
    assert ended.code == 2
    line = 1 + next(n for n, text in enumerate(graph.read_text().splitlines()) if "numer > 1" in text)
    assert ended.err.startswith(f"{graph}:{line}:")
    assert "number" in ended.err.split("hint: ")[1]


def test_a_missing_input_file_is_named(start: Start, tmp_path: Path) -> None:
    sink = {"type": "file_sink", "path": "runs/out", "format": "json"}
    graph = write(tmp_path / "g.json", chain(("source", csv_source("nothing/here.csv")), ("sink", sink)))
    ended = start("run", graph).end()
    assert ended.code == 1
    assert not (tmp_path / "runs").exists()
    words = told(ended.err, ANY)
    assert str(tmp_path / "nothing/here.csv") in words
    assert "source" in words


@pytest.mark.parametrize("place", [None, TWO])
def test_a_bad_line_fails_the_job_with_its_place(start: Start, tmp_path: Path, csv: Path, place: Fields | None) -> None:
    graph = write(tmp_path / "g.json", chain(("source", csv_source(csv)), COLLECT))
    deployed = [] if place is None else ["--deployment", write(tmp_path / "d.json", place)]
    ended = start("run", graph, *deployed).end()
    assert ended.code == 1
    line = 1 + next(n for n, text in enumerate(graph.read_text().splitlines()) if '"source": {' in text)
    assert f"{graph}:{line}:" in ended.err
    words = told(ended.err, ANY)
    assert f"{csv}:3" in words
    assert "three" in words
    assert "on_error" in words


def run_rows(start: Start, tmp_path: Path, graph: Fields, *sinks: str) -> dict[str, list[Any]]:
    """Runs a graph whose sinks write json lines, and reads them."""
    ended = start("run", write(tmp_path / "g.json", graph), "--report", tmp_path / "r.json").end()
    assert ended.code == 0, ended.err
    return {sink: [json.loads(line) for file in sorted((tmp_path / sink).glob("[!._]*"))
                   for line in file.read_text().splitlines()] for sink in sinks}


def test_skip_counts_what_it_skips_and_shows_the_first(start: Start, tmp_path: Path, csv: Path) -> None:
    graph = chain(("source", csv_source(csv, on_error={"type": "skip"})),
                  ("sink", {"type": "file_sink", "path": "sink", "format": "json"}))
    ended = start("run", write(tmp_path / "g.json", graph), "--report", tmp_path / "r.json").end()
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
def test_an_output_folder_that_is_not_empty_is_left_alone(start: Start, tmp_path: Path, file: str, hint: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / file).write_text("keep me\n")
    graph = chain(("source", rows(5, "id AS n")), ("sink", {"type": "file_sink", "path": "out", "format": "json"}))
    ended = start("run", write(tmp_path / "g.json", graph)).end()
    assert ended.code in (1, 2)
    words = told(ended.err, ANY)
    assert str(tmp_path / "out") in words
    assert hint in words
    assert {found.name: found.read_text() for found in (tmp_path / "out").iterdir()} == {file: "keep me\n"}


@pytest.mark.parametrize("path", ["/proc/despina/out", "a_file/out"])
def test_an_output_path_that_cannot_be_written(start: Start, tmp_path: Path, path: str) -> None:
    (tmp_path / "a_file").touch()
    graph = chain(("source", rows(5, "id AS n")), ("sink", {"type": "file_sink", "path": path, "format": "json"}))
    ended = start("run", write(tmp_path / "g.json", graph)).end()
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
