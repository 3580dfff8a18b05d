"""The contract cases: a folder each under ``cases/<operator>/``, run on the engine and on Spark, compared row for row.

``make cases`` prints their index.

A case is a graph, ``case.graph.json``, with its inputs and the rows that must come out. The graph's sinks are ``collect_sink``;
``${folder}`` is the case's folder. The rows are in ``expected.json``, as ``{sink: [row, ...]}``, or ``oracle.py`` has a function
``expected(folder)`` that computes them in plain Python.

``expected.json`` may say more, also beside an oracle:

- ``"ordered"``: the sinks whose order of rows counts
- ``"aggregates"``: for each sink, the columns whose doubles come out of an aggregate. They compare within 1e-9; all other values
  compare exactly
- ``"not_on_spark"``: the case has no Spark form, and this is what Spark's refusal says
- ``"not_streamed"``: the same for Spark's streams
- ``"fails"``: a word of the error that ends the case, on both sides, or on Spark alone if there is ``"fails_on_engine"``
- ``"fails_on_engine"``: a word of the engine's error

An oracle may have ``at_the_end(folder)`` too: the rows that leave only because the stream ends. Spark's streams never give them,
even if their time has passed by then.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "cases"
STEPS = {"python": 9, "python_source": 6, "python_sink": 6}
"""Operators that start a Python for each instance of a case."""
SIZED = {("python/key_rows_quiet", 7), ("python/skips_in_batch", 1), ("python/three_in_a_row", 7), ("python/timer_quiet", 1)}
"""Those of ``sized`` that each run has: rows of a key at once, one that raises among others, functions in a row, timers."""
TIMERS = "python/timer_quiet"
REPORTED = (
    *(f"file_source/{name}" for name in (
        "csv_by_name_trailing", "folders", "folders_mixed_unnamed", "folders_parquet", "glob_classes", "hidden_named",
        "hidden_names", "json_concatenated", "json_epoch_units", "json_epochs", "parquet_nanoseconds", "parquet_no_bytes",
        "parquet_unsigned_coded")),
    "graph/event_time_dash", "graph/event_time_dot", "resample/linear_far_apart")
"""Cases that gave wrong rows once, and without a word: none of them is left out where cases are thinned."""
Row = dict[str, Any]
Rows = dict[str, list[Row]]


@dataclass(frozen=True)
class Case:
    """One folder."""

    folder: Path

    @property
    def graph(self) -> Path:
        """The graph's file."""
        return self.folder / "case.graph.json"

    @property
    def name(self) -> str:
        """The operator it tries, and what of it; ``graph/`` has those that try several together."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    def words(self) -> dict[str, Any]:
        """``expected.json``, or nothing."""
        path = self.folder / "expected.json"
        return dict(json.loads(path.read_text())) if path.exists() else {}

    def expected(self) -> Rows:
        """The rows that must come out, per sink."""
        oracle = self._oracle()
        rows: Rows = dict(self.words()["rows"]) if oracle is None else oracle.expected(self.folder)
        return rows

    def at_the_end(self) -> Rows:
        """Those of them that leave because the stream ends, as far as the oracle says."""
        rows: Rows = getattr(self._oracle(), "at_the_end", lambda folder: {})(self.folder)
        return rows

    def _oracle(self) -> ModuleType | None:
        path = self.folder / "oracle.py"
        if not path.exists():
            return None
        spec = importlib.util.spec_from_file_location(f"oracle_{self.folder.name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def cases() -> list[Case]:
    """Every case, by name."""
    return [Case(path.parent) for path in sorted(FOLDER.glob("*/*/case.graph.json"))]


def thinned(step: int) -> list[Case]:
    """Of each operator's cases the first, each ``step``-th after it, and those of ``REPORTED``; with DESPINA_EVERY_CASE=1
    (``make every``) all.
    """
    if os.environ.get("DESPINA_EVERY_CASE"):
        return cases()
    return [case for _, group in groupby(cases(), key=lambda case: case.folder.parent)
            for k, case in enumerate(group) if k % step == 0 or case.name in REPORTED]


def affordable() -> list[Case]:
    """Of operators whose cases take seconds each the first and each ``STEPS``-th after it, and those of ``REPORTED``; all of
    the others, and, with DESPINA_EVERY_CASE=1, all.
    """
    if os.environ.get("DESPINA_EVERY_CASE"):
        return cases()
    return [case for folder, group in groupby(cases(), key=lambda case: case.folder.parent)
            for k, case in enumerate(group) if k % STEPS.get(folder.name, 1) == 0 or case.name in REPORTED]


def reported(step: int) -> list[Case]:
    """Each ``step``-th of ``REPORTED``; with DESPINA_EVERY_CASE=1 all."""
    found = [case for case in cases() if case.name in REPORTED]
    return found if os.environ.get("DESPINA_EVERY_CASE") else found[::step]


def sized() -> list[tuple[Case, int]]:
    """The cases of Python functions with batches of one row and of seven; as they are written, all rows go at once. Three of
    them; with DESPINA_EVERY_CASE=1 all.
    """
    every = [(case, rows) for case in cases() if case.folder.parent.name == "python" for rows in (1, 7)]
    return every if os.environ.get("DESPINA_EVERY_CASE") else [each for each in every if (each[0].name, each[1]) in SIZED]


def of_python() -> list[Case]:
    """Those of Python's functions, sources and sinks: one of timers; with DESPINA_EVERY_CASE=1 all."""
    every = bool(os.environ.get("DESPINA_EVERY_CASE"))
    return [case for case in cases() if case.folder.parent.name in STEPS and (every or case.name == TIMERS)]


def restored() -> list[Case]:
    """Of these the functions that end well: no other goes on from a state."""
    return [case for case in of_python()
            if case.folder.parent.name == "python" and not {"fails", "fails_on_engine"} & set(case.words())]


def index() -> Iterator[str]:
    """A line for each case: its name, and what it tries."""
    listed = cases()
    width = max(len(case.name) for case in listed)
    for case in listed:
        yield f"{case.name:{width}}  {json.loads(case.graph.read_text())['doc']}"


if __name__ == "__main__":
    print(*index(), sep="\n")
