"""Rows of a collect_sink that Python takes of a job with a state, while a resource or the program itself is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from despina.engine import Engine
from despina.errors import RefusedError
from despina.graph import Graph, RunOptions
from support.graphs import TWO, Fields, chain, rows
from support.processes import over, until

COUNT = 3_000
RATE_PER_S = 2_000
KILLED_AFTER = 500
PARALLEL: Fields = {"type": "collect_sink", "parallelism": 2}


def graph(count: int | None = COUNT) -> Graph:
    return Graph.from_dict(chain(("source", rows(count, "id", rate_per_s=RATE_PER_S)), ("sink", PARALLEL),
                                 links={"fuse": False}, name="taken"))


def ids(found: Any) -> list[int]:
    return [row["id"] for row in found]


def test_a_resource_that_is_killed_loses_and_doubles_none(engine: Engine, tmp_path: Path) -> None:
    taken: list[int] = []
    killed_at, stopped = 0, False
    options = RunOptions(deployment=TWO, state=tmp_path / "state", epoch_ms=50)
    with graph(None).start(engine, options) as job:
        for batch in job.batches():
            taken += ids(batch)
            if not killed_at and len(taken) > KILLED_AFTER:
                killed_at = len(taken)
                os.kill(job.counters.resources["far"]["pid"], signal.SIGKILL)
            elif not stopped and job.restarts == 1 and len(taken) > killed_at + KILLED_AFTER:
                stopped = True
                job.stop()      # the loop goes on to the last row
    assert sorted(taken) == list(range(len(taken)))


PROGRAM = """
import json, os, signal, sys
from pathlib import Path
from despina import Graph
from support.graphs import chain, rows
folder, driver, keeps, mortal = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "keeps", sys.argv[4] == "mortal"
graph = Graph.from_dict(json.loads(sys.argv[5]))
made = folder / "made.json"
known = json.loads(made.read_text()) if made.exists() else {"ids": [], "place": None}
job = graph.run(driver=driver, state=folder / "state", epoch_ms=50)
for count, batch in enumerate(job.batches(after=known["place"] if keeps else None)):
    known["ids"] += [row["id"] for row in batch]
    if mortal and len(known["ids"]) > int(sys.argv[6]):
        os.kill(os.getpid(), signal.SIGKILL)        # it has made nothing of the batch in hand
    known["place"] = job.place()
    partial = folder / "made.partial"
    partial.write_text(json.dumps(known))
    partial.replace(made)
print(job.counters.state)
"""


def program(folder: Path, driver: str, keeps: str, mortal: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", PROGRAM, str(folder), driver, keeps, mortal, graph().text, str(KILLED_AFTER)]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, timeout=100, check=False,
                          env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])})


@pytest.mark.parametrize(("driver", "keeps"), [("py4j", "keeps"), ("jpype", "forgets")])
def test_a_program_that_is_killed_goes_on(driver: str, keeps: str, tmp_path: Path) -> None:
    assert program(tmp_path, driver, keeps, "mortal").returncode == -signal.SIGKILL
    assert program(tmp_path, driver, keeps, "").stdout == "done\n"
    made = json.loads((tmp_path / "made.json").read_text())["ids"]
    assert sorted(made if keeps == "keeps" else set(made)) == list(range(COUNT))
    assert len(made) < 2 * KILLED_AFTER + COUNT, "it is given only what it was not done with"


def test_a_job_that_is_stopped_leaves_the_rest_to_the_next_run(engine: Engine, tmp_path: Path) -> None:
    options = RunOptions(state=tmp_path / "state", epoch_ms=50)
    endless = graph(None)
    with endless.start(engine, options) as job:
        first = ids(next(job.batches()))
        place = job.place()
    with endless.start(engine, options) as job:
        until(lambda: job.poll().collected["sink"]["rows"] > 0, "rows", ended=over(job))
        job.stop()
        second = ids(job.rows())        # it waits, and so has all that the stopped job has made
    gone = r"rows \d+ to \d+ of `sink` .* are gone: a program has said that it had them"
    with endless.start(engine, options) as job, pytest.raises(RefusedError, match=gone):
        for _ in job.batches(after=place):
            pass
    with endless.start(engine, options) as job:
        third = ids(next(job.batches()))
    taken = sorted(first + second + third)
    assert taken[:len(first + second)] == list(range(len(first + second)))
    assert third
    assert len(taken) == len(set(taken))


def test_without_a_state_of_its_own_a_place_is_refused(engine: Engine, tmp_path: Path) -> None:
    with graph().start(engine, RunOptions()) as job:
        next(job.batches())
        with pytest.raises(RefusedError, match="rows of `sink` have no place: the job keeps none"):
            job.place()
        job.stop("now")
    options = RunOptions(state=tmp_path / "state", epoch_ms=50)
    with graph().start(engine, options) as job:
        with pytest.raises(RefusedError, match="the place is not of the rows of `sink` in this state folder"):
            next(job.batches(after="elsewhere 1 2"))
        job.stop("now")
    with graph().start(engine, RunOptions(state=tmp_path / "other", epoch_ms=50, delivery="at_least_once")) as job:
        assert sorted(ids(job.rows())) == list(range(COUNT))
