"""Bytewax' job of experiment ``python_peers``: source, function and sink in one process, whose rows are tuples of Python's."""

from __future__ import annotations

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
    rows = op.input("rows", flow, Source(keys))
    if work == "mean by key":
        made = op.stateful_map("mean", rows, lambda state, pair: functions.mean(state, pair[0]))
    else:
        made = op.map("called", rows, lambda row: functions.by_row(*row[1]))
    op.output("taken", made, Discard())
    run_main(flow)


main()
