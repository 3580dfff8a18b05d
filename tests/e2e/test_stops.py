"""What a stop leaves: packets in open windows, and packets that wait. They are counted by operator, or they leave."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from despina.engine import Engine
from despina.errors import RefusedError
from despina.graph import Graph, RunOptions
from despina.job import Job, Status
from support.graphs import TWO, Fields
from support.processes import until
from support.stops import ONCE, ROWS, waiting

COLLECTED: Fields = {"type": "collect_sink"}


def arrived(job: Job) -> None:
    """Waits until all that can leave by itself has left."""
    until(lambda: (job.poll().operators["rows"]["packets_in"], job.counters.operators["counts"]["packets_in"]) == (ONCE, 1),
          "rows before the stop")


def balanced(status: Status) -> None:
    """Packets in are packets out and held, where each packet has a row of its own."""
    once = status.operators["once"]
    assert once["packets_in"] == once["packets_out"] + once["late"] + once["errors"] + once["held"] == ROWS
    assert status.undelivered == 0
    assert status.held == sum(counters["held"] for counters in status.operators.values())


@pytest.mark.parametrize("deployment", [None, TWO], ids=["one process", "two resources"])
@pytest.mark.parametrize("mode", ["drain", "now"])
def test_a_stop_counts_what_operators_hold(engine: Engine, tmp_path: Path, mode: Literal["drain", "now"],
                                           deployment: Fields | None) -> None:
    graph = Graph.from_dict(waiting(tmp_path / "in.csv", COLLECTED))
    with graph.start(engine, RunOptions(deployment=deployment, on_stop=mode)) as job:
        arrived(job)
        job.stop()
        status = job.wait()
        windows = job.rows("counts").to_pylist()
    assert status.state == "stopped"
    assert {name: (counters["held"], counters["open_windows"]) for name, counters in status.operators.items()
            if counters["held"]} == {"once": (4, 0), "windows": (7, 2)}
    balanced(status)
    assert [row["n"] for row in windows] == [5]
    assert job.report()["held"] == 11


@pytest.mark.parametrize("deployment", [None, TWO], ids=["one process", "two resources"])
def test_a_stop_that_flushes_leaves_nothing(engine: Engine, tmp_path: Path, deployment: Fields | None) -> None:
    graph = Graph.from_dict(waiting(tmp_path / "in.csv", COLLECTED))
    with graph.start(engine, RunOptions(deployment=deployment)) as job:
        arrived(job)
        job.stop(flush=True)
        status = job.wait()
        once, windows = job.rows("rows").to_pylist(), job.rows("counts").to_pylist()
    assert (status.state, status.held) == ("stopped", 0)
    balanced(status)
    assert [row["seq"] for row in once] == list(range(ROWS))
    assert [row["n"] for row in windows] == [5, 5, 2]


def test_a_stop_says_one_thing(engine: Engine, tmp_path: Path) -> None:
    graph = Graph.from_dict(waiting(tmp_path / "in.csv", COLLECTED))
    with graph.start(engine, RunOptions(on_stop="now")) as job, pytest.raises(RefusedError, match="says two things"):
        job.stop("drain", flush=True)
    assert job.wait().state == "stopped"
