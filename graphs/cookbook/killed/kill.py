"""Kills the job twice in its middle, starts it again, and compares its rows with those of a job that nobody kills."""

import csv
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path


def start(*options: str) -> subprocess.Popen[bytes]:
    """Starts the command."""
    return subprocess.Popen([sys.executable, "-m", "despina", "run", "killed.graph.json", "--quiet", *options],
                            start_new_session=True)


def rows(folder: str) -> Counter[tuple[str, ...]]:
    """How often each row came out."""
    return Counter(tuple(row) for file in Path(folder).glob("*.csv") for row in csv.reader(file.open()))


for _ in range(2):
    before = rows("kept").total()
    job = start("--state", "state", "--epoch-ms", "200ms")
    while rows("kept").total() == before and job.poll() is None:
        time.sleep(0.02)
    os.killpg(job.pid, signal.SIGKILL)      # as kill -9 does: nothing can be tidied up
    job.wait()
    print("killed")
start("--state", "state", "--epoch-ms", "200ms").wait()
start("--set", "out=undisturbed").wait()
assert rows("kept") == rows("undisturbed")
print(f"{rows('kept').total()} rows, each once")
