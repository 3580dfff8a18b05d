"""Runs a contract case on an engine, wherever its resources are, and compares."""

from __future__ import annotations

import re

import pytest

import despina
from despina.engine import Engine
from despina.errors import JobError
from despina.testing.rows import differences
from support.cases import Case, Rows


def on_engine(case: Case, engine: Engine) -> Rows:
    """The rows that reached the sinks on the engine."""
    with despina.load(case.graph).run(engine=engine, parameters={"folder": str(case.folder)}) as job:
        tables = {sink: job.rows(sink) for sink in case.expected()}
        job.wait()
    return {sink: table.to_pylist() for sink, table in tables.items()}


def check(case: Case, found: Rows) -> None:
    """Fails with what differs."""
    ordered, aggregates = case.words().get("ordered", []), case.words().get("aggregates", {})
    for sink, rows in case.expected().items():
        assert not differences(found[sink], rows, ordered=sink in ordered, aggregates=aggregates.get(sink, ())), sink


def run_on_engine(case: Case, engine: Engine) -> None:
    """Fails unless the case's rows come out, or its job fails in the words that it says."""
    words = case.words()
    fails = words.get("fails_on_engine", words.get("fails"))
    if fails is None:
        check(case, on_engine(case, engine))
        return
    with pytest.raises(JobError, match=re.escape(fails)):
        on_engine(case, engine)
