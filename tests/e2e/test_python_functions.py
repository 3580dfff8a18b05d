"""Functions in processes of their own: killed, stopped, hanging and in the wrong place, and what is left of them afterwards."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

import despina
from despina.engine import Engine
from despina.errors import JobError
from despina.job import Job
from e2e.conftest import Start
from e2e.test_joining import Site
from support.every import in_every
from support.graphs import Fields, chain, rows
from support.processes import alive, over, until
from support.python_workers import until_more_rows, workers

FUNCTIONS = """
import os
import time

from despina.functions import counter

SUMMED = counter("summed")


def twice(id):
    return 2 * id


class Counted:
    def open(self, context):
        self.rows = context.counter("rows")

    def process(self, id):
        self.rows.add()
        return 2 * id


def deadly(id):
    if id == 7:
        os._exit(9)
    return 2 * id


def slow(id):
    time.sleep(3600)


def wide(id):
    return tuple(range(id, id + 5_000))


def last(batch):
    return {"first": batch.column(0), "last": batch.column(4_999)}


class Sums:
    def process(self, key, row, state):
        SUMMED.add()
        state.count = (state.count or 0) + 1
        state.ids = [*(state.ids or []), row.id][-3:]
        return state.count, state.ids
"""


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    return tmp_path


def graph(function: str = "twice", count: int | None = None, rate_per_s: int | None = None, **fields: object) -> Fields:
    source = {**rows(count, "id"), **({"rate_per_s": rate_per_s} if rate_per_s else {})}
    return chain(("source", source), ("tried", {"type": "python", "function": f"mine:{function}", "adds": "v BIGINT", **fields}),
                 ("rows", {"type": "collect_sink"}))


def stopped_well(job: Job) -> None:
    """Stops a job without end, whose rows are all that its source had made."""
    job.stop()
    found = job.rows("rows").to_pylist()
    job.wait(60)
    assert found == [{"id": k, "v": 2 * k} for k in range(len(found))]
    assert len(found) == job.counters.operators["tried"]["packets_in"]


def test_processes_that_are_killed_lose_nothing(engine: Engine, modules: Path, clean: int) -> None:
    with despina.Graph.from_dict(graph("Counted", rate_per_s=3_000)).run(engine=engine, modules=[modules]) as job:
        killed = set[int]()
        for _ in range(3):
            pid = until(lambda: set(workers(clean)) - killed, "worker").pop()
            until_more_rows(job)
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        until_more_rows(job)
        stopped_well(job)
    tried = job.counters.operators["tried"]
    assert tried["errors"] == 0
    assert tried["counters"] == {"rows": tried["packets_in"]} == job.report()["operators"]["tried"]["counters"]


def test_processes_that_are_killed_lose_no_state(engine: Engine, modules: Path, clean: int) -> None:
    content = graph("Sums", None, 3_000, adds="n BIGINT, ids ARRAY<BIGINT>", group_by=["id % 7"],
                    state="count BIGINT, ids ARRAY<BIGINT>")
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        killed = set[int]()
        for _ in range(3):
            pid = until(lambda: set(workers(clean)) - killed, "worker").pop()
            until_more_rows(job)
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        until_more_rows(job)
        job.stop()
        found = job.rows("rows").to_pylist()
        job.wait(60)
    assert found == [{"id": k, "n": k // 7 + 1, "ids": [each for each in (k - 14, k - 7, k) if each >= 0]}
                     for k in range(len(found))]
    tried = job.counters.operators["tried"]
    assert len(found) == tried["packets_in"] == tried["counters"]["summed"]


def test_a_process_that_stands_still_is_replaced(engine: Engine, modules: Path, clean: int) -> None:
    content = graph(count=None, rate_per_s=10_000, timeout_ms=5_000)
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        until_more_rows(job)
        stopped = workers(clean)[0]
        os.kill(stopped, signal.SIGSTOP)
        until(lambda: workers(clean) not in ([], [stopped]), "another process")
        until_more_rows(job)
        stopped_well(job)


def test_a_row_that_kills_three_processes_is_a_bad_record(engine: Engine, modules: Path, clean: int) -> None:
    content = graph("deadly", 1_000, on_error={"type": "skip"})
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        found = job.rows("rows")
        job.wait(60)
    assert found.to_pylist() == [{"id": k, "v": 2 * k} for k in range(1_000) if k != 7]
    assert "ended with code 9" in job.counters.skipped["tried"]


def test_one_that_hangs_says_where(engine: Engine, modules: Path, clean: int) -> None:
    content = graph("slow", 1, timeout_ms=2_000, pure=False)     # so it is called once
    with pytest.raises(JobError, match=r"did not answer within timeout_ms=2000.*in slow"), \
            despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        job.wait(60)


def test_five_thousand_columns_cross_both_ways(engine: Engine, modules: Path, clean: int) -> None:
    columns = ", ".join(f"c{k} BIGINT" for k in range(5_000))
    content = chain(("source", rows(3, "id")), ("wide", {"type": "python", "function": "mine:wide", "schema": columns}),
                    ("last", {"type": "python", "function": "mine:last", "takes": "arrow",
                              "schema": "first BIGINT, last BIGINT"}),
                    ("rows", {"type": "collect_sink"}))
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        assert job.rows("rows").to_pylist() == [{"first": k, "last": k + 4_999} for k in range(3)]


def test_many_jobs_leave_nothing(engine: Engine, modules: Path, clean: int) -> None:
    for _ in range(3):
        with despina.Graph.from_dict(graph(count=10)).run(engine=engine, modules=[modules]) as job:
            assert len(job.rows("rows").to_pylist()) == 10


def test_a_slow_import_holds_up_no_other_task(engine: Engine, modules: Path, clean: int) -> None:
    """More tasks of another job than the resource has threads, so that each of these has one of them."""
    done = modules / "done"
    (modules / "late.py").write_text("import time\nfrom pathlib import Path\n\nfrom mine import twice\n\n"
                                     f"while not Path({str(done)!r}).exists():\n    time.sleep(0.01)\n")
    waiting = graph(rate_per_s=1_000)
    waiting["operators"]["tried"]["function"] = "late:twice"
    waiting["links"] = [{**link, "fuse": False} for link in waiting["links"]]
    relays = [(f"relay_{k}", {"type": "relay"}) for k in range(2 * (os.cpu_count() or 1))]
    other = chain(("source", rows(100, "id")), *relays, ("rows", {"type": "collect_sink"}), links={"fuse": False})
    with despina.Graph.from_dict(waiting).run(engine=engine, modules=[modules]) as job:
        until(lambda: workers(clean), "process")
        with despina.Graph.from_dict(other).run(engine=engine) as beside:
            assert len(beside.rows("rows").to_pylist()) == 100
        assert job.poll().operators["rows"]["packets_in"] == 0
        done.touch()
        until_more_rows(job)
        stopped_well(job)


def test_a_stop_ends_them(engine: Engine, modules: Path, clean: int) -> None:
    with despina.Graph.from_dict(graph(count=None, rate_per_s=1_000)).run(engine=engine, modules=[modules]) as job:
        until(lambda: job.poll().operators["rows"]["packets_in"] > 10, "rows", ended=over(job))
        job.stop("now")
        job.wait(60)
    assert job.counters.state == "stopped"


TWO = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
       "place": {"tried": ["far"], "*": ["near"]}}


def test_they_end_with_their_resource_though_that_is_killed(engine: Engine, modules: Path, clean: int) -> None:
    content = graph(count=None, rate_per_s=1_000)
    with despina.Graph.from_dict(content).run(engine=engine, deployment=TWO, modules=[modules]) as job:
        until(lambda: job.poll().operators["rows"]["packets_in"] > 10, "rows", ended=over(job))
        worker, = workers(clean)
        os.kill(int(job.counters.resources["far"]["pid"]), signal.SIGKILL)
        with pytest.raises(JobError, match="`far` was lost"):
            job.wait(60)
        until(lambda: not alive(worker), "end of a process that no resource has any more")


def test_a_resource_that_is_killed_is_replaced_and_nothing_is_lost(engine: Engine, modules: Path, clean: int) -> None:
    found: list[dict[str, int]] = []
    killed = stopped = False
    python = modules / "python"
    python.write_text(f'#!/bin/sh\necho run >>{modules}/runs\nexec {sys.executable} "$@"\n')
    python.chmod(0o700)
    two = {**TWO, "resources": {"near": {}, "far": {"python": str(python)}}}
    content = graph("Counted", rate_per_s=2_000)
    with despina.Graph.from_dict(content).run(engine=engine, deployment=two, modules=[modules], state=modules / "state") as job:
        for batch in job.batches("rows"):
            found += batch.to_pylist()
            if not killed:
                killed = True
                os.kill(int(job.counters.resources["far"]["pid"]), signal.SIGKILL)
            elif not stopped and job.restarts == 1 and job.counters.state == "running":
                stopped = True
                job.stop()      # the loop goes on to the last row
    assert stopped
    assert found == [{"id": k, "v": 2 * k} for k in range(len(found))]
    assert job.counters.operators["tried"]["counters"] == {"rows": len(found)}
    assert (modules / "runs").read_text() == "run\n" * 2, "the resource's own Python runs them, also in its second life"


@pytest.mark.parametrize(("allowed", "has", "values"), [
    ("mine", True, (0, 3, 6)), pytest.param("*", False, (0, 2, 4), marks=in_every), (None, True, None)])
def test_a_resource_that_joins_runs_what_it_allows(start: Start, modules: Path, tmp_path: Path, allowed: str | None, has: bool,
                                                   values: tuple[int, int, int] | None) -> None:
    site = Site(start, tmp_path)
    own = tmp_path / "elsewhere"
    own.mkdir()
    if has:
        (own / "mine.py").write_text(FUNCTIONS.replace("2 * id", "3 * id"))
    run = site.run(graph(count=3), "--modules", str(modules), place={"tried": ["far"], "*": ["edge"]})
    run.says("waiting for resource far")
    joined = site.resource(*(["--allow-python", allowed, "--modules", str(own)] if allowed else []))
    ended = run.end()
    joined_ended = joined.end()
    assert joined_ended.code == 0
    assert ended.code == (1 if values is None else 0), ended.err
    if values is None:
        assert "error[python]: resource `far` may not run the Python function `mine:twice`" in ended.err
        assert "hint: start it with --allow-python mine" in ended.err
    else:
        shown = "\n".join(f'  {{"id": {k}, "v": {value}}}' for k, value in enumerate(values))
        assert ended.out.startswith(f"rows: 3 rows\n{shown}")
        told = "module `mine` is not that of the program which submitted the graph: here"
        assert (told in ended.err + joined_ended.err + joined_ended.out) == has
