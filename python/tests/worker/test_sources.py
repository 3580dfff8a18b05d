from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from despina_worker.errors import RefusedError
from despina_worker.functions import Spec
from despina_worker.sources import MOST_CHUNKS, MOST_POSITION, MOST_ROWS, Chunk, Gathered, Reader, Source, gather, written

PAIR = pa.schema([("id", pa.int64()), ("text", pa.string())])
ONE = pa.schema([("text", pa.string())])


def spec(schema: pa.Schema = PAIR, **options: str) -> Spec:
    return Spec("mine:rows", "row", False, [], False, 1, dict(options), schema, schema,
                {"operator": "port", "instance": 1, "instances": 3})


def made(found: Any, schema: pa.Schema = PAIR) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows that a source brings, and what is said of those that are none."""
    chunks: list[Chunk] = []
    said = spec(schema)
    gather(Source(said, found), Reader(said), chunks.append)
    rows: list[dict[str, Any]] = []
    errors: list[str] = []
    for chunk in chunks:
        batch, bad = chunk.made(schema)
        rows += batch.to_pylist()
        errors += [f"{why}: {record}" for why, record in bad]
    return rows, errors


@pytest.mark.parametrize("value", [
    (1, "a"), [1, "a"], {"text": "a", "id": 1}, type("Row", (), {"id": 1, "text": "a"})(),
    pa.RecordBatch.from_pydict({"text": ["a"], "id": [1]}), pa.table({"id": [1], "text": ["a"]}),
    {"id": pa.array([1]), "text": pa.array(["a"])}, {"id": np.array([1]), "text": np.array(["a"], object)},
    pd.DataFrame({"id": [1], "text": ["a"]}), pl.DataFrame({"id": [1], "text": ["a"]}),
])
def test_what_a_row_or_a_batch_may_be(value: Any) -> None:
    assert made(lambda: [value]) == ([{"id": 1, "text": "a"}], [])


def test_rows_of_one_column_are_its_values_or_tuples() -> None:
    assert made(lambda: ["a", None, ("b",), {"text": "c"}], ONE) == ([{"text": each} for each in ("a", None, "b", "c")], [])


@pytest.mark.parametrize("value", [(1,), (1, "a", 2), {"id": 1}, {"id": 1, "txt": "a"}, 7, None, ("one", "a"), (1.5, "a"),
                                   pa.RecordBatch.from_pydict({"id": [1]}),
                                   pa.RecordBatch.from_pydict({"id": ["x"], "text": ["a"]})])
def test_what_does_not_fit_is_no_row_and_the_others_stay(value: Any) -> None:
    rows, errors = made(lambda: [(0, "before"), value, (2, "behind")])
    assert rows == [{"id": 0, "text": "before"}, {"id": 2, "text": "behind"}]
    assert len(errors) == 1


def test_functions_generators_and_async_ones_with_and_without_context() -> None:
    def returns() -> list[str]:
        return ["a"]

    def generates(context: Any) -> Iterator[str]:
        yield f"{context.operator} {context.instance} of {context.instances}"

    async def waits() -> AsyncIterator[str]:
        yield "b"

    async def returned() -> list[str]:
        return ["c"]

    found: list[tuple[Callable[..., Any], str]] = [(returns, "a"), (generates, "port 1 of 3"), (waits, "b"), (returned, "c")]
    for function, text in found:
        assert made(function, ONE)[0] == [{"text": text}]


class Port:
    closed = False

    def open(self, context: Any) -> None:
        self.next = int(context.options.get("first", 0))

    def rows(self) -> Iterator[tuple[int, str]]:
        while self.next < 10:
            self.next += 1
            yield self.next, "x"

    def position(self) -> dict[str, int]:
        return {"next": self.next}

    def seek(self, position: dict[str, int]) -> None:
        self.next = position["next"]

    def close(self) -> None:
        Port.closed = True


def test_a_class_goes_on_behind_its_position() -> None:
    source = Source(spec(first="3"), Port)
    assert source.methods == ["position"]
    chunks: list[Chunk] = []
    gather(source, Reader(spec()), chunks.append)
    assert [(chunk.rows[0][0], chunk.position) for chunk in chunks] == [(k, {"next": k}) for k in range(4, 11)]
    source.seek({"next": 8})
    chunks.clear()
    gather(source, Reader(spec()), chunks.append)
    assert [chunk.rows[0][0] for chunk in chunks] == [9, 10]
    source.close()
    assert Port.closed


def test_of_a_large_batch_the_last_part_alone_has_a_position() -> None:
    class Large(Port):
        def rows(self) -> Iterator[Any]:
            yield pa.table({"id": range(2 * MOST_ROWS + 1), "text": ["x"] * (2 * MOST_ROWS + 1)})

    chunks: list[Chunk] = []
    gather(Source(spec(), Large), Reader(spec()), chunks.append)
    assert [chunk.made(PAIR)[0].num_rows for chunk in chunks] == [MOST_ROWS, MOST_ROWS, 1]
    assert [chunk.marked for chunk in chunks] == [False, False, True]


@pytest.mark.parametrize(("found", "words"), [
    (type("Bare", (), {}), "neither `rows` nor `__iter__`"),
    (type("Half", (), {"rows": lambda self: [], "seek": lambda self, position: None}), "one of `position` and `seek`"),
    (type("Shut", (), {"rows": lambda self: [], "open": lambda self, context: context.options["path"]}),
     "cannot be opened: KeyError: 'path'"),
])
def test_a_class_that_is_no_source_is_refused(found: type, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        Source(spec(), found)


def test_what_is_no_iterator_is_refused() -> None:
    with pytest.raises(RefusedError, match="it returned int, and must give an iterator of rows"):
        made(lambda: 7)


@pytest.mark.parametrize(("position", "words"), [({1, 2}, "is no JSON"), ("x" * MOST_POSITION, "are the most")])
def test_a_position_that_cannot_be_kept_is_refused(position: object, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        written(position)


def row(number: int) -> Chunk:
    return Chunk([(number, "x")], position=number, marked=True)


def test_rows_that_wait_become_one_batch_with_the_last_position() -> None:
    gathered = Gathered()
    for number in range(3):
        gathered.add(row(number))
    chunk = gathered.take()
    assert chunk is not None
    assert ([each[0] for each in chunk.rows], chunk.position) == ([0, 1, 2], 2)


def test_nothing_more_is_made_while_enough_waits() -> None:
    gathered = Gathered()
    added: list[int] = []

    def add() -> None:
        for number in range(MOST_CHUNKS * MOST_ROWS + 1):
            gathered.add(row(number))
            added.append(number)

    thread = threading.Thread(target=add, daemon=True)
    thread.start()
    while len(added) < MOST_CHUNKS * MOST_ROWS:
        thread.join(0.001)
    thread.join(0.1)
    assert thread.is_alive()
    assert len(added) == MOST_CHUNKS * MOST_ROWS
    assert gathered.take() is not None
    thread.join(60)
    assert not thread.is_alive()


def test_the_end_comes_behind_what_waits() -> None:
    gathered = Gathered()
    gathered.add(row(1))
    gathered.end()
    assert gathered.take() is not None
    assert gathered.take() is None
