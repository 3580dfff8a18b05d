"""The form on Spark of Python functions with state: rows sorted by key, however Spark cuts them into batches."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

from despina.backends.spark.keyed_rows import SortedKeys, comparable
from despina_worker.functions import Spec
from despina_worker.keyed import Keyed

TIME = pa.timestamp("us", "UTC")
INPUT = pa.schema([("id", pa.int64()), ("ts", TIME)])
STATE = pa.schema([("n", pa.int64()), ("$timer", TIME)])
OUT = pa.schema([("text", pa.string())])
TWICE = pa.array([1_792_888_200_000_000, 1_792_891_800_000_000])
"""Both are half past two there, as its clocks go back between them."""
ROWS = INPUT.append(pa.field("_key", pa.string())).append(pa.field("_time", TIME))


class Runs:
    """The number of a row in its key, and of each run that ends by five seconds of silence."""

    def process(self, key: Any, row: Any, state: Any) -> str:
        state.n = (state.n or 0) + 1
        state.set_timer(row.ts + timedelta(seconds=5))
        if row.id % 7 == 3:
            raise ValueError("three")
        return f"{key} {row.id} {state.n}"

    def timer(self, key: Any, when: datetime, state: Any) -> str:
        n, state.n = state.n, None
        return f"{key} ends with {n} at {when.timestamp():.0f}"


def plain(key: Any, row: Any, state: Any) -> str:
    state.n = (state.n or 0) + 1
    return f"{key} {row.id} {state.n}"


def opened(user: Any) -> SortedKeys:
    spec = Spec("mine:f", "row", False, ["id", "ts"], True, 1, {}, INPUT, OUT, keys=pa.schema([("device", pa.string())]),
                state=STATE, clock="event")
    return SortedKeys(Keyed.of(spec, user), ["_key"], "_time")


def table(chance: random.Random) -> pa.Table:
    """Sorted by key and time. NULL is a key."""
    rows = []
    for key in [None, *"abcdefgh"]:
        second = chance.randint(0, 9)
        for _ in range(chance.randint(1, 12)):
            second += chance.choice([1, 1, 2, 20])
            rows.append((key, datetime.fromtimestamp(second, UTC)))
    return pa.table({"id": list(range(len(rows))), "ts": [at for _, at in rows], "_key": [key for key, _ in rows],
                     "_time": [at for _, at in rows]}, ROWS)


def run(user: Any, batches: list[pa.RecordBatch]) -> tuple[list[str], list[int]]:
    made, found, bad = opened(user), [], []
    for batch in batches:
        for rows, result in made.call(batch):
            found += result.batch.column(0).to_pylist()
            bad += [rows.column(0)[row].as_py() for row, _ in result.errors]
    for _, result in made.finish(batches[-1]):
        found += result.batch.column(0).to_pylist()
    return sorted(found), bad


def expected(user: Any, rows: pa.Table) -> list[str]:
    """Each key alone, in one batch."""
    keys = rows.column("_key").to_pylist()
    found = []
    for key in sorted(set(keys), key=str):
        mine = rows.filter(pa.array([each == key for each in keys])).combine_chunks().to_batches()
        found += run(user, mine)[0]
    return sorted(found)


class Ends(Runs):
    def end(self, key: Any, state: Any) -> str:
        return f"{key} has {state.n} at the end"


@pytest.mark.parametrize("user", [Runs, Ends, plain])
@pytest.mark.parametrize("seed", range(30))
def test_rows_do_not_depend_on_where_a_batch_ends(user: Any, seed: int) -> None:
    chance = random.Random(seed)
    rows = table(chance)
    cuts = sorted({0, rows.num_rows, *(chance.randint(0, rows.num_rows) for _ in range(chance.randint(0, 12)))})
    batches = [rows.slice(a, b - a).combine_chunks().to_batches()[0] for a, b in pairwise(cuts)]
    found, bad = run(user, batches)
    assert found == expected(user, rows)
    assert bad == ([k for k in range(rows.num_rows) if k % 7 == 3] if user is not plain else [])


def test_timers_go_by_the_rows_of_their_own_key() -> None:
    at = [datetime.fromtimestamp(second, UTC) for second in (0, 100, 1, 2)]
    rows = pa.RecordBatch.from_pydict({"id": [0, 1, 2, 4], "ts": at, "_key": list("aabb"), "_time": at}, ROWS)
    assert run(Runs, [rows])[0] == ["a 0 1", "a 1 1", "a ends with 1 at 105", "a ends with 1 at 5", "b 2 1", "b 4 2",
                                    "b ends with 2 at 7"]


def test_a_key_that_has_a_state_ends_behind_its_rows_and_timers() -> None:
    class Counts:
        def process(self, key: Any, row: Any, state: Any) -> None:
            state.n = None if row.id == 9 else (state.n or 0) + 1

        def end(self, key: Any, state: Any) -> str:
            return f"{key} {state.n}"

    at = [datetime.fromtimestamp(second, UTC) for second in range(5)]
    rows = pa.RecordBatch.from_pydict({"id": [0, 1, 2, 9, 4], "ts": at, "_key": list("aabbc"), "_time": at}, ROWS)
    assert run(Counts, [rows])[0] == ["a 2", "c 1"]
    assert run(Counts, [rows.slice(0, 1), rows.slice(1, 2), rows.slice(3)])[0] == ["a 2", "c 1"]


def test_a_timer_that_goes_on_behind_the_last_row_of_its_key_is_an_error() -> None:
    class Repeats(Runs):
        def timer(self, key: Any, when: datetime, state: Any) -> str:
            state.set_timer(when + timedelta(seconds=5))
            return "again"

    at = [datetime.fromtimestamp(second, UTC) for second in (0, 11)]
    rows = pa.RecordBatch.from_pydict({"id": [0, 1], "ts": at, "_key": ["a", "a"], "_time": at}, ROWS)
    made = opened(Repeats)
    assert [result.batch.num_rows for _, result in made.call(rows)] == [0, 4]
    with pytest.raises(RuntimeError, match="behind the last row of its key"):
        list(made.finish(rows))


@pytest.mark.parametrize("column", [
    pa.array([math.nan, -math.nan]), pa.array([0.0, -0.0]), pa.array([None, None], pa.int64()),
    pa.array([[1.0, math.nan], [1.0, math.nan]]), pa.array([{"x": -0.0}, {"x": 0.0}]),
    pa.array([2**62, 2**62]).cast(TIME), pa.array([b"", b""]), pa.array([[2**62], [2**62]]).cast(pa.list_(TIME)),
    pa.array([1, 1]).cast(pa.duration("us"))])
def test_what_is_one_key_compares_as_one(column: pa.Array) -> None:
    first, second = comparable([column])
    assert first == second
    first, second = comparable([column, column])
    assert first == second


@pytest.mark.parametrize("column", [
    pa.array([math.nan, None]), pa.array([0.0, None]), pa.array([0, None]), pa.array(["", None]), pa.array([[None], None]),
    pa.array([1, 2]).cast(TIME), pa.array([1, 2], pa.int32()).cast(pa.date32()), pa.array([{"x": 1}, {"x": None}]),
    pa.StructArray.from_arrays([TWICE.cast(pa.timestamp("us", "Europe/Berlin"))], ["t"])])
def test_what_is_two_keys_compares_as_two(column: pa.Array) -> None:
    first, second = comparable([column])
    assert first != second
