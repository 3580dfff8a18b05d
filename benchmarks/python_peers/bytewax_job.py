"""Bytewax' job of experiment ``python_peers``: source, function and sink in one process, whose rows are tuples of Python's."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import functions
from bytewax import operators as op
from bytewax.dataflow import Dataflow
from bytewax.inputs import DynamicSource, StatelessSourcePartition
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.testing import run_main

BATCH_ROWS = 1_024
Pair = tuple[float, float]


class Rows(StatelessSourcePartition[tuple[str, Pair]]):  # type: ignore[misc]
    """A batch of rows, again and again."""

    def __init__(self, keys: int) -> None:
        self._rows = [(str(n * 2_654_435_761 % keys), (float(n % 101), float(n % 97))) for n in range(BATCH_ROWS)]

    def next_batch(self) -> list[tuple[str, Pair]]:
        """Some rows."""
        return self._rows


class Paced(StatelessSourcePartition[Pair]):  # type: ignore[misc]
    """Rows as they become due: when that was, and their number."""

    def __init__(self) -> None:
        self._began = time.time()
        self._made = 0

    def next_batch(self) -> list[Pair]:
        """Those that are due."""
        due = int((time.time() - self._began) * functions.RATE_PER_S)
        made, self._made = range(self._made, due), due
        return [(self._began + n / functions.RATE_PER_S, float(n)) for n in made]

    def next_awake(self) -> datetime:
        """When the next is due."""
        return datetime.now(UTC) + timedelta(seconds=1 / functions.RATE_PER_S)


class PacedSource(DynamicSource[Pair]):  # type: ignore[misc]
    """Without end."""

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Paced:
        """The rows of a worker."""
        return Paced()


class Source(DynamicSource[tuple[str, Pair]]):  # type: ignore[misc]
    """Without end."""

    def __init__(self, keys: int) -> None:
        self._keys = keys

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Rows:
        """The rows of a worker."""
        return Rows(self._keys)


class Nothing(StatelessSinkPartition[Any]):  # type: ignore[misc]
    """Takes rows."""

    def write_batch(self, items: list[Any]) -> None:
        """And forgets them."""


class Discard(DynamicSink[Any]):  # type: ignore[misc]
    """A sink that keeps nothing."""

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Nothing:
        """The part of a worker."""
        return Nothing()


def main() -> None:
    """Until it is killed."""
    work, keys, _ = functions.words()
    flow = Dataflow("python_peers")
    if work == functions.ONE_BY_ONE:
        paced = op.input("rows", flow, PacedSource())
        op.output("taken", op.map("called", paced, lambda row: functions.aged(row[0], row[1] % 101, row[1] % 97)), Discard())
        run_main(flow)
        return
    rows = op.input("rows", flow, Source(keys))
    if work == "mean by key":
        made = op.stateful_map("mean", rows, lambda state, pair: functions.mean(state, pair[0]))
    else:
        made = op.map("called", rows, lambda row: functions.by_row(*row[1]))
    op.output("taken", made, Discard())
    run_main(flow)


main()
