"""What a terminal gets to see, and what becomes of a job when it is closed."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from despina.engine import Engine
from despina.errors import JobError
from despina.graph import Graph
from e2e.conftest import Start
from e2e.test_ends import PACED, lines_without_end, whole_lines
from support.graphs import Fields, chain, packets, rows, write
from support.processes import SOURCE, until

TITLE = "\x1b]0;owned\x07"
"""What a terminal takes for its window's title."""
CLEAR = "\x9b2J"
"""What one takes for an order to clear its screen, in one character beyond ASCII."""


def reading(folder: Path, form: str, on_error: str) -> Fields:
    """A source of one bad record, that steers a terminal, and a good one."""
    bad, good = (f"{TITLE}{CLEAR},x", "1,x") if form == "csv" else (f'{{"id": "{TITLE}{CLEAR}"}}', '{"id": 1}')
    (folder / "in").write_text(f"{bad}\n{good}\n")
    graph = chain(("source", {"type": "file_source", "path": str(folder / "in"), "format": form,
                              "schema": "id BIGINT, word STRING", "on_error": {"type": on_error}}),
                  ("sink", {"type": "discard_sink"}))
    if on_error == "dead_letter":
        graph["operators"]["bad"] = {"type": "console_sink"}
        graph["links"].append({"from": "source.errors", "to": "bad"})
    return graph


def is_plain(text: str) -> bool:
    """Whether it steers no terminal."""
    return not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in text)


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("on_error", ["fail", "skip", "dead_letter"])
def test_a_bad_record_steers_no_terminal(engine: Engine, tmp_path: Path, capfd: pytest.CaptureFixture[str], form: str,
                                         on_error: str) -> None:
    job = Graph.from_dict(reading(tmp_path, form, on_error)).run(engine=engine)
    if on_error == "fail":
        with pytest.raises(JobError) as raised:
            job.wait()
        assert "�]0;owned�" in str(raised.value)
        assert is_plain(str(raised.value))
    else:
        assert job.wait().operators["source"]["errors"] == 1
    seen = capfd.readouterr()
    assert is_plain(seen.out + seen.err)
    assert ("owned" in seen.out) == (on_error == "dead_letter")


def test_the_command_shows_it_replaced_and_json_has_it_whole(start: Start, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", reading(tmp_path, "csv", "fail"))
    shown, told = start("run", graph), start("run", graph, "--json")
    ended = shown.end()
    assert ended.code == 1
    assert "owned" in ended.err
    assert is_plain(ended.err)
    ended = told.end()
    assert ended.code == 1
    assert is_plain(ended.err)
    assert TITLE + CLEAR in json.loads(ended.out)["diagnostics"][0]["message"]


def test_names_steer_no_terminal(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", rows(3, f"id AS `{TITLE}`")), ("sink", {"type": "console_sink"}), name=TITLE)
    graph["settings"] = {TITLE: 1}
    ended = start("run", write(tmp_path / f"{CLEAR}.json", graph)).end()
    assert ended.code == 2
    assert "owned" in ended.err
    assert is_plain(ended.err)
    graph["settings"] = {}
    ended = start("run", write(tmp_path / f"{CLEAR}.json", graph)).end()
    assert ended.code == 0, ended.err
    assert "owned" in ended.out
    assert is_plain(ended.out + ended.err)


def test_a_hang_up_drains_as_a_service_that_is_stopped_does(start: Start, tmp_path: Path) -> None:
    command = start("run", write(tmp_path / "g.json", lines_without_end(PACED)), "--report", "r.json")
    command.says("  running")
    command.signal(signal.SIGHUP)
    ended = command.end()
    assert ended.code == 130
    assert "stopped after" in ended.err
    counted = json.loads((tmp_path / "r.json").read_text())["operators"]
    assert counted["source"]["packets_out"] == counted["sink"]["packets_in"]
    assert whole_lines(tmp_path / "out") == list(range(counted["sink"]["packets_in"]))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_behind_the_end_is_no_error(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    command = start("run", write(tmp_path / "g.json", chain(("source", packets(10)), ("sink", {"type": "discard_sink"}))))
    command.says("done after")
    command.signal(number)
    ended = command.end()
    assert "Traceback" not in ended.err
    # the command may just be about to show rows
    assert ended.code in (0, 130)


@contextmanager
def terminal(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command on a terminal of its own, and the terminal's other end."""
    other_end, own_end = pty.openpty()
    os.set_blocking(other_end, False)
    process = subprocess.Popen([sys.executable, "-m", "despina", *arguments], cwd=folder, start_new_session=True,
                               env={**os.environ, "PYTHONPATH": str(SOURCE)}, stdin=own_end, stdout=own_end, stderr=own_end,
                               preexec_fn=lambda: fcntl.ioctl(own_end, termios.TIOCSCTTY, 0))
    os.close(own_end)
    try:
        yield process, other_end
    finally:
        process.kill()
        process.wait()


def test_a_terminal_that_is_closed_drains_the_job(tmp_path: Path) -> None:
    write(tmp_path / "g.json", lines_without_end({"rate_per_s": 1_000}, roll_every_ms=100))
    seen = b""

    def shows_rows() -> bool:
        nonlocal seen
        with suppress(BlockingIOError):
            seen += os.read(other_end, 1 << 16)
        return any((tmp_path / "out").glob("part-*"))

    with terminal(tmp_path, "run", "g.json", "--report", "r.json") as (process, other_end):
        until(shows_rows, "rows", 90)
        os.close(other_end)
        assert process.wait(60) == 130, seen
    counted = json.loads((tmp_path / "r.json").read_text())["operators"]
    assert counted["source"]["packets_out"] == counted["sink"]["packets_in"]
    assert whole_lines(tmp_path / "out") == list(range(counted["sink"]["packets_in"]))
