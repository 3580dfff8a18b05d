"""Sources and sinks that are functions of the user's: stopped, killed, restored, and slower than what is behind them."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import despina
from despina.engine import Engine
from despina.errors import JobError
from despina.job import Job
from e2e.conftest import Start
from e2e.test_joining import Site
from support.graphs import Fields, chain
from support.processes import over, until
from support.python_workers import until_more_rows, workers

FUNCTIONS = '''
import json
import time
from pathlib import Path


def endless():
    """Without a wait: it makes rows as fast as they are taken."""
    k = 0
    while True:
        yield k,
        k += 1


def silent():
    yield 0,
    time.sleep(3600)


def counting(context):
    """Writes down how many rows it was asked for."""
    made = Path(context.options["made"])
    k = 0
    while True:
        yield k,
        k += 1
        if k % 1_000 == 0:
            made.write_text(str(k))


def few():
    return [(0,)]


def failing():
    yield 0,
    raise LookupError("the port is gone")


class Numbers:
    """Goes on from its position."""

    def open(self, context):
        self.next = 0
        self.closed = context.options.get("closed")
        self.made = context.counter("made")

    def rows(self):
        while True:
            self.made.add()
            yield self.next,
            self.next += 1
            time.sleep(0.0005)

    def position(self):
        return {"next": self.next + 1}

    def seek(self, position):
        self.next = position["next"]

    def close(self):
        if self.closed:
            Path(self.closed).write_text("closed")


class Lines:
    """Shows its rows when it is closed."""

    def open(self, context):
        self.path = Path(context.options["path"])
        self.rows = []

    def write(self, id):
        self.rows.append(id)

    def close(self):
        self.path.write_text(json.dumps(self.rows))


class Table:
    """A file for each epoch, which has its name when the epoch is committed."""

    def open(self, context):
        self.folder = Path(context.options["path"])
        self.folder.mkdir(exist_ok=True)
        self.rows = []
        self.committed = context.counter("committed")

    def write(self, id):
        self.rows.append(id)

    def prepare(self, epoch):
        (self.folder / f"{epoch}.hidden").write_text(json.dumps(self.rows))
        self.rows = []

    def commit(self, epoch):
        hidden = self.folder / f"{epoch}.hidden"
        if hidden.exists():
            self.committed.add()
            hidden.rename(self.folder / f"{epoch}.json")

    def abort(self, epoch):
        self.rows = []
        for hidden in self.folder.glob("*.hidden"):
            if int(hidden.stem) > epoch:
                hidden.unlink()


def slow(id):
    time.sleep(0.01)
'''


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    (tmp_path / "ends.py").write_text(FUNCTIONS)
    return tmp_path


def source(function: str, **fields: Any) -> Fields:
    return {"type": "python_source", "function": f"ends:{function}", "schema": "id BIGINT", "unbounded": True, **fields}


def sink(function: str, **fields: Any) -> Fields:
    return {"type": "python_sink", "function": f"ends:{function}", **fields}


def to_rows(function: str, **fields: Any) -> despina.Graph:
    return despina.Graph.from_dict(chain(("source", source(function, **fields)), ("rows", {"type": "collect_sink"})))


def taken(job: Job) -> int:
    return int(job.poll().operators["rows"]["packets_in"])


def test_a_source_without_end_is_stopped_and_all_it_has_brought_is_there(engine: Engine, modules: Path, clean: int) -> None:
    with to_rows("Numbers", options={"closed": str(modules / "closed")}).run(engine=engine, modules=[modules]) as job:
        until_more_rows(job)
        job.stop()
        found = job.rows("rows").to_pylist()
        job.wait(60)
    assert found == [{"id": k} for k in range(len(found))]
    made = job.counters.operators["source"]
    assert made["packets_out"] == made["counters"]["made"] == len(found) > 0
    until(lambda: (modules / "closed").exists(), "close of the source")


def test_a_source_that_is_silent_is_stopped(engine: Engine, modules: Path, clean: int) -> None:
    with to_rows("silent").run(engine=engine, modules=[modules]) as job:
        until(lambda: taken(job) == 1, "the row, though no batch is full")
        job.stop()
        job.wait(60)
    assert job.counters.state == "stopped"


def test_what_a_source_raises_fails_the_job_by_name(engine: Engine, modules: Path, clean: int) -> None:
    with pytest.raises(JobError, match=r"source.*`ends:failing`: LookupError: the port is gone \(ends\.py:\d+ in failing\)"), \
            to_rows("failing").run(engine=engine, modules=[modules]) as job:
        job.wait(60)


def test_a_source_makes_no_more_than_is_taken(engine: Engine, modules: Path, clean: int) -> None:
    made = modules / "made"
    content = chain(("source", source("counting", options={"made": str(made)})), ("slow", sink("slow", batch_rows=10)),
                    links={"fuse": False})
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        until(made.exists, "rows")
        until(partial(stands, made), "a source that waits")
        until(lambda: job.poll().operators["slow"]["packets_in"] > 0, "rows at the sink", ended=over(job))
        job.stop("now")
        job.wait(60)


def stands(made: Path) -> bool:
    """Whether a source that could make some hundred thousand rows meanwhile has made next to none."""
    before = int(made.read_text() or 0)
    time.sleep(0.5)
    return before > 0 and int(made.read_text() or 0) - before < 10_000


def test_a_source_whose_process_is_killed_fails_a_job_without_state(engine: Engine, modules: Path, clean: int) -> None:
    with to_rows("Numbers").run(engine=engine, modules=[modules]) as job:
        until_more_rows(job)
        os.kill(workers(clean)[0], signal.SIGKILL)
        with pytest.raises(JobError, match="the worker of `ends:Numbers` was killed by signal 9"):
            job.wait(60)


def test_with_a_state_a_job_goes_on_though_the_process_of_its_source_is_killed(engine: Engine, modules: Path, clean: int) -> None:
    with to_rows("Numbers").run(engine=engine, modules=[modules], state=modules / "state", epoch_ms=100) as job:
        until(lambda: taken(job) > 0, "rows")
        os.kill(workers(clean)[0], signal.SIGKILL)
        until(lambda: job.poll() is not None and job.restarts == 1, "another attempt")
        until_more_rows(job)
        job.stop()
        found = job.rows("rows").to_pylist()
        job.wait(60)
    assert found == [{"id": k} for k in range(len(found))]
    assert job.counters.operators["source"]["counters"] == {"made": len(found)}


def test_a_sink_gets_the_rows_in_order_and_is_closed(engine: Engine, modules: Path, clean: int) -> None:
    path = modules / "lines.json"
    content = chain(("source", {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 3_000}),
                    ("lines", sink("Lines", options={"path": str(path)})))
    with despina.Graph.from_dict(content).run(engine=engine, modules=[modules]) as job:
        job.wait(60)
    until(path.exists, "close of the sink")
    until(lambda: path.read_text() == str(list(range(3_000))), "rows in order")
    assert job.counters.operators["lines"]["packets_in"] == 3_000


def test_a_resource_that_joins_runs_no_source_and_no_sink_that_it_does_not_allow(start: Start, modules: Path,
                                                                                 tmp_path: Path) -> None:
    site = Site(start, tmp_path)
    content = chain(("source", {**source("few"), "unbounded": False}), ("table", sink("slow")))
    run = site.run(content, "--modules", str(modules), place={"*": ["far"]})
    run.says("waiting for resource far")
    site.resource("--allow-python", "other", "--modules", str(modules)).end()
    ended = run.end()
    assert ended.code == 1, ended.err
    assert "resource `far` may not run the Python function `ends:" in ended.err


def test_a_job_goes_on_from_where_its_source_was(engine: Engine, modules: Path, clean: int) -> None:
    """The resource with the source is killed: each row is in one epoch, and none is lost."""
    deployment = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
                  "place": {"source": ["near"], "*": ["far"]}}
    table = modules / "table"
    content = chain(("source", source("Numbers")), ("table", sink("Table", options={"path": str(table)})))
    with despina.Graph.from_dict(content).run(engine=engine, deployment=deployment, modules=[modules], state=modules / "state",
                                              epoch_ms=100) as job:
        until(lambda: len(list(table.glob("*.json"))) >= 2, "two epochs")
        os.kill(int(job.counters.resources["near"]["pid"]), signal.SIGKILL)
        until(lambda: job.poll() is not None and job.restarts == 1, "another attempt")
        seen = len(list(table.glob("*.json")))
        until(lambda: len(list(table.glob("*.json"))) >= seen + 2, "two more epochs")
        job.stop()
        job.wait(60)
    assert not list(table.glob("*.hidden"))
    epochs = sorted(table.glob("*.json"), key=lambda path: int(path.stem))
    found = [int(row) for epoch in epochs for row in epoch.read_text().strip("[]").split(",") if row]
    assert found == list(range(len(found)))
    assert job.counters.operators["table"]["counters"]["committed"] > 0
