"""Runs a contract case on an engine, wherever its resources are, and compares."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import despina
from despina.engine import Engine
from despina.errors import GraphError, JobError
from despina.job import Job
from despina.testing.rows import differences
from support.cases import Case, Rows
from support.processes import over, until

SLOWED_S = 2
"""So long a case lasts that is stopped on its way."""
INSTANCES = 4
INSTANCES_OF_PYTHON = INSTANCES if os.environ.get("DESPINA_EVERY_CASE") else 2
"""Each is a process, and what such a process imports takes longer than all that a case does."""


def on_engine(case: Case, engine: Engine, graph: despina.Graph | None = None,
              deployment: Mapping[str, Any] | None = None) -> Rows:
    """The rows that reached the sinks on the engine.

    :param graph: the case's own, in another form
    :param deployment: other resources than the engine's own
    """
    with (graph or despina.load(case.graph)).run(engine=engine, parameters={"folder": str(case.folder)},
                                                 modules=[case.folder], deployment=deployment) as job:
        tables = {sink: job.rows(sink) for sink in case.expected()}
        job.wait()
    return {sink: table.to_pylist() for sink, table in tables.items()}


def check(case: Case, found: Rows) -> None:
    """Fails with what differs."""
    ordered, aggregates = case.words().get("ordered", []), case.words().get("aggregates", {})
    for sink, rows in case.expected().items():
        assert not differences(found[sink], rows, ordered=sink in ordered, aggregates=aggregates.get(sink, ())), sink


def run_on_engine(case: Case, engine: Engine, graph: despina.Graph | None = None,
                  deployment: Mapping[str, Any] | None = None) -> None:
    """Fails unless the case's rows come out, or its job fails in the words that it says."""
    words = case.words()
    fails = words.get("fails_on_engine", words.get("fails"))
    if fails is None:
        check(case, on_engine(case, engine, graph, deployment))
        return
    with pytest.raises(JobError, match=re.escape(fails)):
        on_engine(case, engine, graph, deployment)


def run_sized(case: Case, engine: Engine, rows: int) -> None:
    """Runs the case with functions that get so many rows at a time, at most."""
    content = despina.load(case.graph).to_dict()
    for operator in content["operators"].values():
        if operator["type"] == "python" and "fixed_rows" not in operator:
            operator["batch_rows"] = rows
    run_on_engine(case, engine, despina.Graph.from_dict(content))


def run_restored(case: Case, engine: Engine, folder: Path) -> None:
    """Stops the case on its way, and goes on from its state, with two instances of functions that keep some; with one where the
    order of all rows counts.
    """
    content = despina.load(case.graph).to_dict()
    operators = content["operators"]
    source, = (name for name, each in operators.items() if each["type"] == "generator_source")
    operators[source]["rate_per_s"] = max(1, operators[source]["count"] // SLOWED_S)
    run = partial(despina.Graph.run, engine=engine, parameters={"folder": str(case.folder)}, modules=[case.folder],
                  state=folder / "state")
    with run(despina.Graph.from_dict(content)) as job:
        until(partial(_has_begun, job, source), "packet", ended=over(job))
        job.stop()
        before = {sink: job.rows(sink).to_pylist() for sink in case.expected()}
        job.wait()
    assert job.counters.operators[source]["packets_out"] < operators[source]["count"], "it had ended before it was stopped"
    for operator in operators.values():
        if "group_by" in operator and operator["type"] == "python" and not case.words().get("ordered"):
            operator["parallelism"] = 2
    with run(despina.Graph.from_dict(content)) as job:
        behind = {sink: job.rows(sink).to_pylist() for sink in before}
        job.wait()
    check(case, {sink: before[sink] + behind[sink] for sink in before})


def _has_begun(job: Job, source: str) -> bool:
    return bool(job.poll().operators[source]["packets_out"] > 0)


def run_spread(case: Case, engine: Engine, deployment: Mapping[str, Any] | None = None) -> None:
    """Runs the case with no link fused, and with four instances of each operator that may have as many, two of Python's.

    Sources, whose packets would come in another order, keep their number, and so does a graph whose links, rows or clocks need
    theirs.
    """
    content = despina.load(case.graph).whole(engine).to_dict()
    for link in content["links"]:
        link["fuse"] = False
    operators = content["operators"]
    read = {link["to"].partition(".")[0] for link in content["links"]}
    free = {name for name in read if operators[name]["type"] != "collect_sink" and "parallelism" not in operators[name]}
    clocked = any("per" in operator.get("event_time", {}) for operator in operators.values())
    if clocked or case.words().get("ordered") or any("partition" in link for link in content["links"]):
        free = set()
    for name in free:
        operators[name]["parallelism"] = INSTANCES_OF_PYTHON if operators[name]["type"].startswith("python") else INSTANCES
    while True:
        try:
            run_on_engine(case, engine, despina.Graph.from_dict(content), deployment)
        except GraphError as error:
            refused = {found.pointer.split("/")[2] for found in error.diagnostics if found.rule == "parallelism"} & free
            if not refused:
                raise
        else:
            return
        free -= refused
        for name in refused:
            del operators[name]["parallelism"]
