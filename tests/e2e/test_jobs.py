"""Several jobs in one engine and in one resource: beside each other, and one after the other."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from despina.engine import Engine
from despina.errors import JobError, RefusedError
from despina.graph import Graph, RunOptions
from despina.job import Job
from support import cycles
from support.graphs import TWO, Fields, chain, relay, rows
from support.processes import over, until


def start(engine: Engine, graph: Fields, deployment: Fields | None = None) -> Job:
    return Graph.from_dict(graph).start(engine, RunOptions(deployment=deployment))


def midnights(zone: str, *, ansi: bool) -> Fields:
    """Rows without end that tell ANSI mode and time zone apart."""
    number = "try_cast('word' AS INT)" if ansi else "CAST('word' AS INT)"
    return chain(("source", rows(None, "id", "CAST(timestamp_seconds(id * 86400) AS STRING) AS local",
                                 "hour(timestamp_seconds(id * 86400)) AS hour", f"{number} AS number", rate_per_s=200)),
                 ("kept", {"type": "filter", "where": f"hour = {0 if zone == 'UTC' else 9}"}),
                 ("sink", {"type": "collect_sink"}), links={"fuse": False}, settings={"ansi": ansi, "time_zone": zone},
                 name=f"zone_{'ansi' if ansi else 'lax'}")


@pytest.mark.parametrize("deployment", [None, TWO], ids=["one process", "two resources"])
def test_two_jobs_with_settings_of_their_own_at_once(engine: Engine, deployment: Fields | None) -> None:
    with (start(engine, midnights("UTC", ansi=True), deployment) as strict,
          start(engine, midnights("Asia/Tokyo", ansi=False), deployment) as lax):
        until(lambda: all(job.poll().operators["sink"]["packets_in"] > 2 for job in (strict, lax)), "packets of both")
        for job in (strict, lax):
            job.stop()
        in_utc, in_tokyo = strict.rows().to_pylist(), lax.rows().to_pylist()
    assert [row["local"] for row in in_utc[:2]] == ["1970-01-01 00:00:00", "1970-01-02 00:00:00"]
    assert [row["local"] for row in in_tokyo[:2]] == ["1970-01-01 09:00:00", "1970-01-02 09:00:00"]
    for found in (in_utc, in_tokyo):
        assert [row["id"] for row in found] == list(range(len(found)))
        assert {row["number"] for row in found} == {None}


def test_ansi_fails_where_lax_gives_null_at_the_same_time(engine: Engine) -> None:
    def graph(*, ansi: bool) -> Fields:
        return chain(("source", rows(1000, "id", "10 DIV (id % 100) AS tenth")), ("sink", {"type": "collect_sink"}),
                     settings={"ansi": ansi})
    with start(engine, graph(ansi=False), TWO) as lax, start(engine, graph(ansi=True), TWO) as strict:
        found: list[dict[str, Any]] = lax.rows().to_pylist()
        with pytest.raises(JobError, match="Division by zero") as raised:
            strict.wait()
    assert sum(row["tenth"] is None for row in found) == 10
    assert 'set "ansi" to false in "settings"' in str(raised.value)
    assert "on_error" in raised.value.hint


def test_now_is_one_moment_in_every_operator_of_every_resource(engine: Engine) -> None:
    place = {"source": ["near"], "first": ["far", "near"], "*": ["far"]}
    graph = chain(("source", rows(400, "id", "now() AS a")), ("first", {"type": "project", "select": ["*", "now() AS b"],
                                                                        "parallelism": 2}),
                  ("second", {"type": "project", "select": ["a", "b", "current_timestamp AS c"]}),
                  ("sink", {"type": "collect_sink"}), links={"fuse": False})
    found: list[datetime] = []
    for deployment in (None, {**TWO, "place": place}):
        with start(engine, graph, deployment) as job:
            moments = {moment for row in job.rows().to_pylist() for moment in row.values()}
        assert len(moments) == 1
        found += moments
    assert found[0] < found[1], "each job has its own"


def test_eight_jobs_at_once_each_with_its_own_rows(engine: Engine) -> None:
    def graph(k: int) -> Fields:
        return chain(("source", rows(5_000, f"id * {k} AS n")), ("odd", {"type": "filter", "where": f"n % {k + 1} = 0"}),
                     ("sink", {"type": "collect_sink"}), links={"fuse": False}, name=f"job{k}")
    jobs = [start(engine, graph(k), TWO if k % 2 else None) for k in range(1, 9)]
    for k, job in enumerate(jobs, 1):
        assert [row["n"] for row in job.rows().to_pylist()] == [n for n in range(0, 5_000 * k, k) if n % (k + 1) == 0]


def test_one_job_that_fails_leaves_the_others_alone(engine: Engine) -> None:
    broken = chain(("source", rows(None, "1 DIV (500 - id) AS n")), ("sink", {"type": "discard_sink"}))
    with start(engine, relay(rate_per_s=10_000), TWO) as steady:
        until(lambda: steady.poll().operators["sink"]["packets_in"] > 0, "packet", ended=over(steady))
        with pytest.raises(JobError, match="Division by zero"), start(engine, broken, TWO) as job:
            job.wait()
        before = steady.counters.operators["sink"]["packets_in"]
        until(lambda: steady.poll().operators["sink"]["packets_in"] > before, "packet after the other failed", ended=over(steady))
        steady.stop()
        status = steady.wait()
        assert status.operators["sink"]["packets_in"] == status.operators["source"]["packets_out"]


def test_a_resource_is_as_before_after_twenty_jobs(engine: Engine) -> None:
    found = cycles.run(engine, 20)
    assert not found.grown(metaspace=2 * cycles.MB), found


def test_a_schedule_that_makes_no_sense_is_refused_and_the_job_runs_on(engine: Engine) -> None:
    with start(engine, relay(rate_per_s=10_000)) as job:
        until(lambda: job.poll().operators["sink"]["packets_in"] > 0, "packet", ended=over(job))
        for operator, schedule in (("relay", {"type": "periodic"}), ("relay", {"type": "sometimes"}), ("rely", {"type": "data"})):
            with pytest.raises(RefusedError):
                job.set_schedule(operator, schedule)
        before = job.counters.operators["sink"]["packets_in"]
        until(lambda: job.poll().operators["sink"]["packets_in"] > before, "packet after the refusals", ended=over(job))
