from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from despina_worker.errors import RefusedError
from despina_worker.functions import Spec
from despina_worker.sinks import Sink

PAIR = pa.schema([("id", pa.int64()), ("text", pa.string())])
ANSWER = pa.schema([("answer", pa.bool_())])
ROWS = pa.RecordBatch.from_pydict({"id": [1, 2, 3], "text": ["a", None, "c"]}, PAIR)


def sink(found: Any, takes: str = "row", *, pure: bool = False) -> Sink:
    return Sink(Spec("mine:Table", takes, False, [], pure, 4, {"path": "here"}, PAIR, ANSWER), found)


def call(made: Sink, batch: pa.RecordBatch = ROWS) -> list[tuple[int, str]]:
    result = made.call(batch.select(made.function.columns))
    assert result.batch.num_rows == 0
    return result.errors


def test_a_function_gets_each_row_in_order_whatever_it_returns() -> None:
    written: list[tuple[Any, ...]] = []

    def write(text: str | None, id: int) -> list[int]:
        written.append((id, text))
        return [1, 2]

    assert call(sink(write)) == []
    assert written == [(1, "a"), (2, None), (3, "c")]


@pytest.mark.parametrize(("takes", "kind"), [("arrow", pa.RecordBatch), ("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_function_of_batches_gets_them_once(takes: str, kind: type) -> None:
    written: list[Any] = []
    assert call(sink(written.append, takes)) == []
    assert [type(each) for each in written] == [kind]
    assert len(written[0]) == 3


def test_arrays_by_the_names_of_the_parameters() -> None:
    written: list[Any] = []

    def write(id: np.ndarray) -> None:
        written.append(id.tolist())

    assert call(sink(write, "numpy")) == []
    assert written == [[1, 2, 3]]


def test_async_calls_are_waited_for() -> None:
    written: list[int] = []

    async def write(id: int) -> None:
        written.append(id)

    assert call(sink(write)) == []
    assert written == [1, 2, 3]


def test_rows_that_raise_are_errors_and_the_others_are_written() -> None:
    written: list[int] = []

    def write(id: int) -> None:
        if id == 2:
            raise ValueError("no two")
        written.append(id)

    assert [(row, why.partition(" (")[0]) for row, why in call(sink(write))] == [(1, "ValueError: no two")]
    assert written == [1, 3]


@pytest.mark.parametrize(("pure", "sizes", "bad"), [(False, [3], [0, 1, 2]), (True, [3, 1, 2, 1, 1], [1])])
def test_a_batch_that_raises_is_halved_only_if_it_may_be_written_again(pure: bool, sizes: list[int], bad: list[int]) -> None:
    called: list[int] = []

    def write(batch: pa.RecordBatch) -> None:
        called.append(batch.num_rows)
        if 2 in batch.column(0).to_pylist():
            raise ValueError("no two")

    assert [row for row, _ in call(sink(write, "arrow", pure=pure))] == bad
    assert called == sizes


class Table:
    def open(self, context: Any) -> None:
        self.said: list[Any] = [context.options["path"]]

    def write(self, id: int) -> None:
        self.said.append(id)

    def flush(self) -> None:
        self.said.append("flush")

    def prepare(self, epoch: int) -> None:
        if epoch == 9:
            raise OSError("the disk is full")
        self.said.append(("prepare", epoch))

    def commit(self, epoch: int) -> None:
        self.said.append(("commit", epoch))

    def close(self) -> None:
        self.said.append("close")


def test_a_class_is_told_of_its_epochs_between_rows() -> None:
    made = sink(Table)
    said = made.function.user.__wrapped__.__self__.said     # type: ignore[attr-defined]
    assert made.methods == ["flush", "prepare", "commit"]
    assert call(made) == []
    assert [made.settled("flush", 0), made.settled("prepare", 4), made.settled("commit", 4)] == [None, None, None]
    made.function.close()
    assert said == ["here", 1, 2, 3, "flush", ("prepare", 4), ("commit", 4), "close"]


def test_what_an_epoch_raises_is_said_by_name() -> None:
    why = sink(Table).settled("prepare", 9)
    assert why is not None
    assert why.startswith("`prepare` of `mine:Table`: OSError: the disk is full (test_sinks.py:")


def generates(id: int) -> Iterator[int]:
    yield id


@pytest.mark.parametrize(("found", "words"), [
    (type("Bare", (), {}), "class `mine:Table` has no `write`"),
    (type("Half", (), {"write": lambda self, id: None, "commit": lambda self, epoch: None}), "one of `prepare` and `commit`"),
    (type("Shut", (), {"write": lambda self, id: None, "open": lambda self, context: context.options["user"]}),
     "cannot be opened: KeyError: 'user'"),
    (generates, "it yields, and a sink returns when it has written"),
    (lambda speed: None, "wants `speed`, which is no column"),
])
def test_what_is_no_sink_is_refused(found: Any, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        sink(found)
