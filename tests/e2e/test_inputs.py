"""Rows from Python for sources that run in other processes than the coordinator."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from despina.engine import Engine
from despina.errors import JobError
from despina.graph import Graph, RunOptions
from support.graphs import TWO, Fields, chain, rows
from support.processes import over, until


def graph(name: str) -> Fields:
    return chain(("source", rows(1, "id AS n", "'' AS word")), ("kept", {"type": "filter", "where": "n % 2 = 0"}),
                 ("sink", {"type": "collect_sink"}), links={"fuse": False}, name=name)


@pytest.mark.parametrize("place", ["near", "far"])
def test_rows_are_brought_to_the_resource_that_hosts_their_source(engine: Engine, place: str) -> None:
    other = "far" if place == "near" else "near"
    deployment = {**TWO, "place": {"source": [place], "*": [other]}}
    given = ({"n": n, "word": "x" * (n % 500)} for n in range(50_000))
    with Graph.from_dict(graph("placed")).start(engine, RunOptions(deployment=deployment), inputs={"source": given}) as job:
        found = job.rows().to_pylist()
    assert [row["n"] for row in found] == list(range(0, 50_000, 2))
    assert all(len(row["word"]) == row["n"] % 500 for row in found)


def test_a_resource_that_is_killed_ends_the_job_and_the_feeding(engine: Engine) -> None:
    ended: list[bool] = []

    def endless() -> Iterator[dict[str, Any]]:
        try:
            for n in itertools.count():
                yield {"n": n, "word": ""}
        finally:
            ended.append(True)

    deployment = {**TWO, "place": {"source": ["far"], "*": ["near"]}}
    job = Graph.from_dict(graph("killed")).start(engine, RunOptions(deployment=deployment), inputs={"source": endless()})
    until(lambda: job.poll().operators.get("sink", {}).get("packets_in", 0) > 0, "rows at the sink", ended=over(job))
    os.kill(job.counters.resources["far"]["pid"], signal.SIGKILL)
    with pytest.raises(JobError, match="resource `far` was lost"):
        job.wait()
    until(lambda: bool(ended), "the end of the iterable")
