"""A program that gives rows is killed, and run again: each row comes out once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

FIRST, ALL = 1000, 1500

PROGRAM = """
import sys, threading, time
from despina import Graph
folder, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
graph = Graph.from_dict({"format": 1, "name": "fed", "operators": {
    "readings": {"type": "file_source", "path": "unread", "format": "json", "schema": "n BIGINT NOT NULL"},
    "kept": {"type": "file_sink", "path": folder + "/out", "format": "json"}},
    "links": [{"from": "readings", "to": "kept"}]})
asked = threading.Event()


def rows(fed):
    print("fed", fed, flush=True)
    asked.set()
    yield [{"n": n} for n in range(fed, first)]
    if last == 0:
        threading.Event().wait()        # until it is killed
    yield [{"n": n} for n in range(max(fed, first), last)]


job = graph.run(state=folder + "/state", epoch_ms=50, inputs={"readings": rows})
asked.wait()        # the job may know how many rows are in before it asks for more
while job.fed("readings") < first:
    time.sleep(0.01)
print("in", job.fed("readings"), flush=True)
job.wait()
"""


def program(folder: Path, first: int, last: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", PROGRAM, str(folder), str(first), str(last)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def test_what_is_in_is_not_lost_with_the_program_and_does_not_come_twice(tmp_path: Path) -> None:
    with program(tmp_path, FIRST, 0) as killed:
        assert killed.stdout is not None
        assert [killed.stdout.readline(), killed.stdout.readline()] == ["fed 0\n", f"in {FIRST}\n"]
        killed.send_signal(signal.SIGKILL)
    with program(tmp_path, FIRST, ALL) as again:
        told, _ = again.communicate(timeout=100)
    assert told.startswith(f"fed {FIRST}\nin ")
    assert again.returncode == 0
    written = [json.loads(line)["n"] for file in sorted((tmp_path / "out").glob("[!._]*")) if file.is_file()
               for line in file.read_text().splitlines()]
    assert sorted(written) == list(range(ALL))
