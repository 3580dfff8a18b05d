"""A sink whose path is ``-`` in a pipeline of the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.conftest import Start
from support.graphs import TWO, Fields, chain, csv_source, rows, write

PIPED = '{ "$@"; echo "code $?" >&2; } | '


def to_output(source: Fields, form: str = "json", **fields: object) -> Fields:
    return chain(("source", source), ("sink", {"type": "file_sink", "path": "-", "format": form, **fields}))


def into(reader: str) -> tuple[str, ...]:
    """The command in a pipe before that reader, whose output is what the test sees."""
    return ("sh", "-c", PIPED + reader, "sh")


@pytest.mark.parametrize("deployment", [None, TWO], ids=["one process", "two resources"])
def test_rows_alone_reach_the_next_command(start: Start, tmp_path: Path, deployment: Fields | None) -> None:
    (tmp_path / "in.csv").write_text("".join(f"{k},word {k} é\n" for k in range(20_000)))
    graph = to_output(csv_source("in.csv"))
    graph["operators"]["kept"] = {"type": "collect_sink"}
    graph["links"].append({"from": "source", "to": "kept"})
    more = [] if deployment is None else ["--deployment", write(tmp_path / "d.json", {
        **deployment, "place": {"source": ["near"], "*": ["far"]}})]
    ended = start("run", write(tmp_path / "g.json", graph), *more, inside=into("cat")).end()
    assert [json.loads(line) for line in ended.out.splitlines()] == [
        {"id": k, "word": f"word {k} é"} for k in range(20_000)]
    assert "code 0" in ended.err
    assert "kept: 20,000 rows" in ended.err


@pytest.mark.parametrize(("form", "options", "expected"), [
    ("csv", {"header": "true"}, "a,b\n0,x\n1,x\n"), ("csv", {"header": "true", "sep": ";"}, "a;b\n0;x\n1;x\n")])
def test_lines_are_those_of_a_file(start: Start, tmp_path: Path, form: str, options: Fields, expected: str) -> None:
    graph = to_output(rows(2, "id AS a", "'x' AS b"), form, options=options)
    assert start("run", write(tmp_path / "g.json", graph), "--quiet").end().out == expected


def test_no_rows_are_a_header_alone(start: Start, tmp_path: Path) -> None:
    graph = to_output(rows(0, "id AS a"), "csv", options={"header": "true"})
    ended = start("run", write(tmp_path / "g.json", graph), "--quiet").end()
    assert (ended.code, ended.out, ended.err) == (0, "a\n", "")


def test_a_reader_that_goes_away_ends_the_job_quietly(start: Start, tmp_path: Path) -> None:
    graph = to_output(rows(None, "id AS n", "repeat('x', 1000) AS filler"))
    ended = start("run", write(tmp_path / "g.json", graph), "--quiet", inside=into("head -n 1")).end()
    assert json.loads(ended.out)["n"] == 0
    assert ended.err == "code 1\n"


@pytest.mark.parametrize("options", [["--json"], ["--report", "-"]])
def test_a_report_cannot_go_where_the_rows_go(start: Start, tmp_path: Path, options: list[str]) -> None:
    graph = to_output(rows(1, "id AS n"))
    ended = start("run", write(tmp_path / "g.json", graph), *options).end()
    assert ended.code == 2
    assert "rows go to standard output" in ended.out + ended.err
