"""The graphs of the cookbook that listen, and those that ask on and on, by the commands that its index tells."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Start
from support.cookbook import served
from support.processes import END_S, ROOT, free_port
from support.sockets import port

COOKBOOK = ROOT / "graphs" / "cookbook"


def shown(name: str) -> list[str]:
    """What the index says that a graph's commands print."""
    section = (COOKBOOK / "README.md").read_text(encoding="utf-8").partition(f"### {name}\n")[2].partition("\n### ")[0]
    return [text for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", section, re.DOTALL | re.MULTILINE) if not language]


def expected(name: str, sink: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((COOKBOOK / name / "expected.json").read_text(encoding="utf-8"))[sink]
    return rows


def timed(row: dict[str, Any]) -> dict[str, Any]:
    """With its time as a time, however it is written."""
    return {**row, "ts": datetime.fromisoformat(row["ts"])}


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The program of the cookbook that stands for a web service: its address, and the file that it prints into."""
    shutil.copy(COOKBOOK / "lines_to_web" / "receive.py", tmp_path)
    chosen = free_port()
    printed = tmp_path / "printed"
    with printed.open("wb") as out, subprocess.Popen([sys.executable, "receive.py", str(chosen)], cwd=tmp_path,
                                                     stdout=out) as program:
        yield f"http://127.0.0.1:{chosen}/", printed
        program.kill()


def test_lines_become_posts(start: Start, tmp_path: Path, receiver: tuple[str, Path]) -> None:
    url, printed = receiver
    assert start("new", "lines_to_web").end().code == 0
    folder = tmp_path / "lines_to_web"
    command = start("run", folder / "lines_to_web.graph.json", "--set", "port=0", "--set", f"url={url}")
    with socket.create_connection(("127.0.0.1", port(command, "lines"))) as device:
        device.sendall((folder / "lines.csv").read_bytes())
    command.until(lambda: printed.read_text().count("\n") == 2, "two posts")
    command.interrupt()
    assert [printed.read_text()] == shown("lines_to_web")
    assert [json.loads(line) for line in printed.read_text().splitlines()] == expected("lines_to_web", "posted")
    assert "1 skipped" in command.err()


def test_metrics_become_minutes(start: Start, tmp_path: Path) -> None:
    assert start("new", "telegraf_in").end().code == 0
    folder = tmp_path / "telegraf_in"
    command = start("run", folder / "telegraf_in.graph.json", "--set", "port=0", "--on-stop", "flush")
    body = (folder / "metrics.influx").read_bytes()
    with urllib.request.urlopen(f"http://127.0.0.1:{port(command, 'cpu')}/write", body, END_S) as answer:
        told = answer.read().decode()
    command.interrupt()
    lines = {line for file in (tmp_path / "minutes").glob("*.csv") for line in file.read_text().splitlines(keepends=True)}
    assert [told, "".join(sorted(lines))] == shown("telegraf_in")
    _, *rows = csv.reader(sorted(lines, key=lambda line: not line.startswith("start")))
    assert [{"start": datetime.fromisoformat(start), "host": host, "busy": float(busy), "samples": int(samples)}
            for start, host, busy, samples in sorted(rows)] == [
        {**row, "start": datetime.fromisoformat(row["start"])} for row in expected("telegraf_in", "minutes")]


def test_posts_become_files(start: Start, tmp_path: Path) -> None:
    assert start("new", "posts_to_files").end().code == 0
    folder = tmp_path / "posts_to_files"
    command = start("run", folder / "posts_to_files.graph.json", "--set", "port=0")
    body = (folder / "events.jsonl").read_bytes()
    with urllib.request.urlopen(f"http://127.0.0.1:{port(command, 'posts')}/events", body, END_S) as answer:
        told = answer.read().decode()
    command.interrupt()
    files = sorted((tmp_path / "events").glob("*.json"))
    assert [told, "".join(file.read_text() for file in files)] == shown("posts_to_files")
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert [timed({"ms": None, **row}) for row in rows] == [timed(row) for row in expected("posts_to_files", "events")]
    letters = [json.loads(line) for file in (tmp_path / "bad").glob("*.json") for line in file.read_text().splitlines()]
    assert [json.loads(letter["record"])["ms"] for letter in letters] == ["slow"]


def test_stations_are_asked_until_the_job_is_stopped(start: Start) -> None:
    assert start("new", "bike_stations").end().code == 0
    with served("bike_stations") as there:
        command = start("run", "bike_stations/bike_stations.graph.json", "--set", "every_ms=50", "--set", f"url={there['url']}")
        command.until(lambda: command.out().count("\n") == shown("bike_stations")[0].count("\n"), "six rows")
        command.signal(signal.SIGINT)
        assert command.end().code == 5, command.err()        # the last answer waits for the next
    assert [command.out()] == shown("bike_stations")


def test_a_stream_that_breaks_is_counted_to_its_end(start: Start) -> None:
    assert start("new", "posts").end().code == 0
    with served("posts") as there:
        ended = start("run", "posts/posts.graph.json", "--set", "stop_at=end", "--set", f"url={there['url']}",
                      POSTS_TOKEN="demo").end()
    assert ended.code == 0, ended.err
    assert [ended.out] == shown("posts")
    assert "breaks off its answer" in ended.err


def test_events_by_long_polling_come_once_though_the_server_breaks_and_forgets(start: Start) -> None:
    assert start("new", "bayeux").end().code == 0
    with served("bayeux") as there:
        ended = start("run", "bayeux/bayeux.graph.json", "--set", f"url={there['url']}", EVENTS_TOKEN="demo").end()
    assert ended.code == 0, ended.err
    assert [ended.out] == shown("bayeux")


def test_a_server_of_events_that_refuses_the_token_fails_the_job(start: Start) -> None:
    assert start("new", "bayeux").end().code == 0
    with served("bayeux") as there:
        ended = start("run", "bayeux/bayeux.graph.json", "--set", f"url={there['url']}", EVENTS_TOKEN="another").end()
    assert ended.code == 1
    assert "HTTP Error 401" in ended.err
