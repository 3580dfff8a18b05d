"""``despina run`` between two pipes: path ``-`` of a source and of a sink."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from despina import Graph
from despina.engine import Engine
from despina.errors import RefusedError
from despina.options import RunOptions
from support.graphs import Fields, chain, rows, write
from support.processes import END_S, INTERRUPTED, SOURCE, until

LINES: Fields = {"type": "file_source", "path": "-", "format": "text"}
NUMBERS: Fields = {"type": "file_source", "path": "-", "format": "csv", "schema": "n BIGINT", "options": {"header": "true"}}
TEXT: Fields = {"type": "file_sink", "path": "-", "format": "text"}

Piped = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def piped(tmp_path: Path) -> Iterator[Piped]:
    """Starts ``despina run`` of a graph with pipes for all its standard streams."""
    started: list[subprocess.Popen[bytes]] = []

    def run(graph: Fields, *options: str, stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        path = write(tmp_path / "g.json", graph)
        started.append(subprocess.Popen([sys.executable, "-m", "despina", "run", str(path), *options], stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
                                        env={**os.environ, "PYTHONPATH": str(SOURCE)}))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


def test_rows_go_from_pipe_to_pipe_and_all_else_to_standard_error(piped: Piped) -> None:
    doubled: Fields = {"type": "project", "select": ["n", "2 * n AS twice"]}
    graph = chain(("numbers", NUMBERS), ("doubled", doubled), ("out", {"type": "file_sink", "path": "-", "format": "json"}))
    graph["operators"] |= {"shown": {"type": "console_sink"}, "kept": {"type": "collect_sink"}}
    graph["links"] += [{"from": "doubled", "to": "shown"}, {"from": "doubled", "to": "kept"}]
    text = "n\n" + "".join(f"{n}\n" for n in range(1000)) + "1000"      # the last line has no end
    out, err = piped(graph).communicate(text.encode(), END_S)
    assert [json.loads(line) for line in out.splitlines()] == [{"n": n, "twice": 2 * n} for n in range(1001)], err.decode()
    assert b"kept: 1,001 rows" in err


def test_an_empty_input_ends_the_job(piped: Piped) -> None:
    sink: Fields = {"type": "file_sink", "path": "-", "format": "csv", "options": {"header": "true"}}
    command = piped(chain(("numbers", NUMBERS), ("out", sink)), "--quiet", stdin=subprocess.DEVNULL)
    out, err = command.communicate(timeout=END_S)
    assert (command.returncode, out, err) == (0, b"n\n", b"")


def test_a_reader_that_goes_ends_the_job_quietly(piped: Piped) -> None:
    command = piped(chain(("source", rows(None, "CAST(id AS STRING) AS n")), ("out", TEXT)), "--quiet")
    assert command.stdout is not None
    assert command.stdout.readline() == b"0\n"
    command.stdout.close()
    assert command.wait(END_S) == 1
    assert command.stderr is not None
    assert command.stderr.read() == b""


def test_a_reader_that_waits_slows_the_job(piped: Piped) -> None:
    lines, block = 200, b"x" * 399_999 + b"\n"
    command = piped(chain(("lines", LINES), ("out", TEXT)), "--quiet")
    assert command.stdin is not None
    assert command.stdout is not None
    stdin, given = command.stdin, []

    def give() -> None:
        with stdin:
            for k in range(lines):
                stdin.write(block)
                given.append(k)

    writer = threading.Thread(target=give)
    writer.start()
    assert command.stdout.read(1) == b"x"       # it runs
    seen: list[int] = []

    def stalls() -> bool:
        seen.append(len(given))
        return seen[-20:] == [seen[-1]] * 20

    until(stalls, "end to what it takes without a reader")
    assert len(given) < lines
    assert len(command.stdout.read()) + 1 == lines * len(block)
    writer.join()
    assert command.wait(END_S) == 0


def test_an_interrupt_drains_what_has_come(piped: Piped) -> None:
    command = piped(chain(("lines", LINES), ("out", TEXT)), "--quiet")
    assert command.stdin is not None
    assert command.stdout is not None
    command.stdin.write(b"one\ntwo\nthr")
    command.stdin.flush()
    assert [command.stdout.readline() for _ in range(2)] == [b"one\n", b"two\n"]
    command.send_signal(signal.SIGINT)
    assert command.wait(END_S) == INTERRUPTED
    assert command.stdout.read() in (b"", b"thr\n")


@pytest.mark.parametrize("options", [("--json",), ("--report", "-")])
def test_a_document_has_no_place_among_rows(piped: Piped, options: tuple[str, ...]) -> None:
    command = piped(chain(("lines", LINES), ("out", TEXT)), *options, stdin=subprocess.DEVNULL)
    out, err = command.communicate(timeout=END_S)
    assert command.returncode == RefusedError.exit_code
    assert b"path `-` is the standard output of `despina run`" in out + err


def test_a_program_has_no_standard_streams_to_give(engine: Engine) -> None:
    graph = Graph.from_dict(chain(("lines", LINES), ("out", {"type": "discard_sink"})))
    with pytest.raises(RefusedError, match="standard input of `despina run`"):
        graph.start(engine, RunOptions())
    with graph.start(engine, RunOptions(), inputs={"lines": [{"value": "one"}]}) as job:
        assert job.wait().operators["out"]["packets_in"] == 1
