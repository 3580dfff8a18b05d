from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import AsyncIterator, Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from despina_worker.context import Context
from despina_worker.errors import RefusedError
from despina_worker.functions import Function, Result, Spec

PAIR = pa.schema([("a", pa.float64()), ("b", pa.int64())])
SCORE = pa.schema([("score", pa.float64())])
ROWS = pa.RecordBatch.from_pydict({"a": [1.0, None, 3.0], "b": [1, 2, None]}, PAIR)


def function(user: Callable[..., Any], takes: str = "row", adds: bool = True, outputs: pa.Schema = SCORE,
             inputs: pa.Schema = PAIR, **fields: Any) -> Function:
    return Function(Spec("mine:f", takes, adds, fields.get("columns", []), fields.get("pure", True),
                         fields.get("in_flight", 8), fields.get("options", {}), inputs, outputs), user)


def call(made: Function, batch: pa.RecordBatch = ROWS) -> Result:
    return made.call(batch.select(made.columns))


def column(result: Result) -> list[Any]:
    return list(result.batch.column(0).to_pylist())


def test_parameters_name_the_columns_in_any_case_and_order() -> None:
    def scaled(b: int | None, A: float | None, factor: int = 2) -> float | None:  # noqa: N803
        return None if A is None or b is None else A * factor - b

    made = function(scaled)
    assert made.columns == ["b", "a"]
    assert column(call(made)) == [1.0, None, None]


def test_a_function_of_no_columns_is_called_for_each_row() -> None:
    assert column(call(function(lambda: 1.5))) == [1.5] * 3


def test_a_row_may_have_five_thousand_columns() -> None:
    names = [f"c{k}" for k in range(5_000)]
    schema = pa.schema([(name, pa.int64()) for name in names])
    spec = Spec("mine:f", "row", True, names, True, 1, {}, schema, pa.schema([("n", pa.int64())]))
    batch = pa.RecordBatch.from_arrays([pa.array([k, -k]) for k in range(5_000)], schema=schema)
    result = Function.of(spec, lambda *values: len(values) * values[-1]).call(batch)
    assert (result.errors, result.batch.column(0).to_pylist()) == ([], [24_995_000, -24_995_000])


@pytest.mark.parametrize("user", [lambda *all: 1, lambda a, **rest: 1, lambda a, speed: 1])
def test_what_is_no_column_is_refused(user: Callable[..., Any]) -> None:
    with pytest.raises(RefusedError, match="`mine:f`"):
        function(user)


def test_rows_that_raise_are_errors_and_the_others_stay() -> None:
    result = call(function(lambda a, b: a / (b - 2)))
    assert column(result) == [-1.0]
    assert [row for row, _ in result.errors] == [1, 2]
    assert "TypeError" in result.errors[0][1]


def test_the_first_row_and_the_last_may_raise() -> None:
    result = call(function(lambda b: 1 / (b - 1) if b is not None else int("no number")))
    assert column(result) == [1.0]
    assert [row for row, _ in result.errors] == [0, 2]


def test_stop_iteration_ends_no_batch() -> None:
    result = call(function(lambda a: next(iter([])) if a is None else a))
    assert column(result) == [1.0, 3.0]
    assert result.errors[0][0] == 1


@pytest.mark.parametrize(("kind", "value"), [
    (pa.int64(), 1.5), (pa.int64(), True), (pa.int64(), "1"), (pa.int8(), 128), (pa.float64(), "1.5"), (pa.float32(), 1e300),
    (pa.string(), b"x"), (pa.string(), 1), (pa.binary(), "x"), (pa.bool_(), 1), (pa.decimal128(5, 2), Decimal("1.234")),
    (pa.decimal128(5, 2), 1.5), (pa.timestamp("us", "UTC"), datetime.datetime(2026, 1, 1)), (pa.timestamp("us"),
     datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)), (pa.date32(), datetime.datetime(2026, 1, 1)), (pa.duration("us"), 5),
    (pa.list_(pa.int64()), [1.5]), (pa.list_(pa.int64()), 3), (pa.struct([("x", pa.int64())]), {"y": 1}),
    (pa.map_(pa.string(), pa.int64()), {"k": 0.5})])
def test_a_value_that_does_not_fit_is_an_error_that_names_it(kind: pa.DataType, value: object) -> None:
    outputs = pa.schema([pa.field("it", kind, metadata={"sql": "SOME TYPE"})])
    result = call(function(lambda a: value if a == 1.0 else None, outputs=outputs))
    assert column(result) == [None, None]
    [(row, why)] = result.errors
    assert row == 0
    assert why.startswith(f"column `it` is SOME TYPE, and {value!r}")


def test_null_where_there_must_be_none_is_an_error() -> None:
    outputs = pa.schema([pa.field("it", pa.float64(), nullable=False)])
    result = call(function(lambda a: a, outputs=outputs))
    assert result.errors == [(1, "column `it` is double, and it is NOT NULL")]


def test_nan_and_null_stay_apart() -> None:
    assert str(column(call(function(lambda a: float("nan") if a == 1.0 else a)))) == "[nan, None, 3.0]"


@pytest.mark.parametrize("returned", [lambda a, b: (b, str(a)), lambda a, b: {"t": str(a), "n": b}])
def test_several_columns_come_as_a_tuple_or_dict(returned: Callable[..., Any]) -> None:
    result = call(function(returned, outputs=pa.schema([("n", pa.int64()), ("t", pa.string())])))
    assert result.batch.to_pylist() == [{"n": 1, "t": "1.0"}, {"n": 2, "t": "None"}, {"n": None, "t": "3.0"}]


@pytest.mark.parametrize("returned", [lambda a: (a,), lambda a: {"score": a}, lambda a: (a,) if a == 3.0 else a])
@pytest.mark.parametrize("adds", [True, False])
def test_a_row_of_one_column_may_be_a_tuple_or_dict_too(returned: Callable[..., Any], adds: bool) -> None:
    result = call(function(returned, adds=adds), ROWS.take([0, 2]))
    assert (column(result), result.errors) == ([1.0, 3.0], [])
    assert column(call(function(lambda a: {"x": [a]}, outputs=pa.schema([("m", pa.map_(pa.string(), pa.list_(pa.float64())))])),
                       ROWS.slice(0, 1))) == [[("x", [1.0])]]


def test_a_method_without_self_is_told() -> None:
    class Model:
        def process(a: Any, b: Any) -> Any:      # noqa: N805
            return a - b

    with pytest.raises(RefusedError, match="`process` of `mine:f` has `a` in the place of `self`"):
        function(Model().process)


def test_who_changes_an_array_that_is_read_only_is_told_to_copy_it() -> None:
    def changed(b: Any) -> Any:
        b += 1
        return b

    result = call(function(changed, "numpy"), ROWS.slice(0, 1))
    assert "read-only: copy what the function gets before it changes that, as `a = a.copy()`" in result.errors[0][1]


def test_a_tuple_of_another_length_is_an_error() -> None:
    result = call(function(lambda b: (b,) if b == 2 else (b, "x"), outputs=pa.schema([("n", pa.int64()), ("t", pa.string())])))
    assert [row for row, _ in result.errors] == [1]
    assert "wanted: n, t" in result.errors[0][1]


def many(b: int | None) -> Iterator[float]:
    for k in range(b or 0):
        yield k / 2


@pytest.mark.parametrize("user", [many, lambda b: list(many(b))])
def test_rows_of_their_own_are_none_one_or_many(user: Callable[..., Any]) -> None:
    assert column(call(function(user, adds=False))) == [0.0, 0.0, 0.5]
    assert column(call(function(lambda a: a, adds=False))) == [1.0, 3.0]


def test_a_generator_that_fails_gives_no_half_row() -> None:
    def failing(b: int | None) -> Iterator[float]:
        yield 1.0
        if b == 2:
            raise ValueError("two")
        yield 2.0

    result = call(function(failing, adds=False))
    assert column(result) == [1.0, 2.0, 1.0, 2.0]
    assert result.errors[0][1].startswith("ValueError: two")


BATCHES: list[tuple[str, Callable[..., Any]]] = [
    ("arrow", lambda batch: pc.multiply(batch.column("a"), 2.0)),
    ("arrow", lambda batch: pa.table({"score": pc.multiply(batch.column("a"), 2.0)})),
    ("numpy", lambda a: a * 2), ("numpy", lambda a: {"score": a * 2}),
    ("pandas", lambda frame: frame["a"] * 2), ("pandas", lambda frame: pd.DataFrame({"score": frame["a"] * 2})),
    ("polars", lambda frame: frame["a"] * 2), ("polars", lambda frame: frame.select(score=pl.col("a") * 2)),
]


@pytest.mark.parametrize(("takes", "user"), BATCHES)
def test_a_batch_comes_in_each_form_and_null_stays_null(takes: str, user: Callable[..., Any]) -> None:
    assert column(call(function(user, takes))) == [2.0, None, 6.0]
    assert column(call(function(user, takes), ROWS.slice(0, 0))) == []


@pytest.mark.parametrize(("takes", "user"), [
    ("arrow", lambda batch: pa.table({"scor": batch.column("a")})), ("numpy", lambda a: {"scor": a}),
    ("pandas", lambda frame: frame[["a"]].rename(columns={"a": "scor"})), ("polars", lambda frame: frame.select(scor="a"))])
def test_columns_of_other_names_are_told(takes: str, user: Callable[..., Any]) -> None:
    result = call(function(user, takes), ROWS.slice(0, 1))
    assert result.errors == [(0, "it returned the columns scor; wanted: score")]


@pytest.mark.parametrize("takes", ["arrow", "pandas", "polars"])
def test_bigints_with_null_keep_their_digits(takes: str) -> None:
    outputs = pa.schema([("it", pa.int64())])
    large = pa.RecordBatch.from_pydict({"a": [1.0, 2.0], "b": [9223372036854775707, None]}, PAIR)
    take: Callable[..., Any] = (lambda frame: frame.column("b")) if takes == "arrow" else lambda frame: frame["b"]
    assert column(call(function(take, takes, outputs=outputs), large)) == [9223372036854775707, None]


@pytest.mark.parametrize("bad", [0, 777, 999])
def test_a_batch_is_halved_until_the_row_is_found(bad: int) -> None:
    calls: list[int] = []

    def failing(batch: pa.RecordBatch) -> pa.Array:
        calls.append(batch.num_rows)
        if float(bad) in batch.column("a").to_pylist():
            raise ValueError("bad")
        return batch.column("a")

    batch = pa.RecordBatch.from_pydict({"a": [float(k) for k in range(1000)], "b": [0] * 1000}, PAIR)
    result = call(function(failing, "arrow"), batch)
    assert column(result) == [float(k) for k in range(1000) if k != bad]
    assert [row for row, _ in result.errors] == [bad]
    calls.clear()
    result = call(function(failing, "arrow", pure=False), batch)
    assert calls == [1000]
    assert len(result.errors) == 1000


@pytest.mark.parametrize(("takes", "one"), [("arrow", "pyarrow.Array"), ("numpy", "numpy array"), ("pandas", "pandas Series"),
                                            ("polars", "polars Series")])
@pytest.mark.parametrize("returned", [[1.5], [1.5, None, 2.5]])
def test_a_list_is_no_column(takes: str, one: str, returned: list[float | None]) -> None:
    user = (lambda a: returned) if takes == "numpy" else lambda batch: returned
    result = call(function(user, takes), ROWS.slice(0, 1))
    assert result.errors == [(0, f"it returned a list of values: with batches a column is a {one}")]


def test_as_many_rows_must_come_back() -> None:
    result = call(function(lambda a: np.zeros(2), "numpy"))
    assert column(result) == []
    assert [row for row, _ in result.errors] == [0, 1, 2]
    assert "with `adds` it returns one for each" in result.errors[0][1]


def test_times_are_aware_and_in_utc() -> None:
    schema = pa.schema([("t", pa.timestamp("us", "UTC")), ("n", pa.timestamp("us"))])
    batch = pa.RecordBatch.from_pydict({"t": [0, -1], "n": [5, None]}, schema)
    seen: list[Any] = []

    def see(t: object, n: object) -> tuple[object, object]:
        seen.append((t, n))
        return t, n

    made = function(see, inputs=schema, outputs=schema)
    assert call(made, batch).batch.equals(batch)
    assert seen[1] == (datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=datetime.UTC), None)
    assert seen[0][1].tzinfo is None


def test_a_time_that_python_cannot_hold_is_an_error() -> None:
    schema = pa.schema([("t", pa.timestamp("us", "UTC"))])
    batch = pa.RecordBatch.from_arrays([pa.array([1, 2**62, 3], pa.int64()).view(pa.timestamp("us", "UTC"))], schema=schema)
    result = call(function(lambda t: 1.0, inputs=schema), batch)
    assert column(result) == [1.0, 1.0]
    assert result.errors[0][0] == 1
    assert "column `t` has a value that Python cannot hold" in result.errors[0][1]
    assert json.dumps(result.errors)


NUMBERS = pa.schema([("n", pa.int64())])


def numbers(count: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"n": list(range(count))}, NUMBERS)


def test_calls_of_an_async_def_wait_together_no_more_than_they_may_and_answer_in_order() -> None:
    waiting = [0]
    most = [0]

    async def slow(n: int) -> float:
        waiting[0] += 1
        most[0] = max(most[0], waiting[0])
        for _ in range(10 - n % 10):        # the last of ten is ready first
            await asyncio.sleep(0)
        waiting[0] -= 1
        return n / 2

    result = call(function(slow, inputs=NUMBERS, in_flight=5), numbers(40))
    assert column(result) == [n / 2 for n in range(40)]
    assert most == [5]


def test_what_an_async_def_raises_is_an_error_of_its_row_alone() -> None:
    async def refused(n: int) -> float:
        await asyncio.sleep(0)
        if n == 1:
            raise ValueError("no one")
        if n == 2:
            raise asyncio.CancelledError
        if n == 3:
            raise SystemExit(4)
        return 1.0

    result = call(function(refused, inputs=NUMBERS), numbers(5))
    assert column(result) == [1.0, 1.0]
    assert [row for row, _ in result.errors] == [1, 2, 3]
    assert result.errors[0][1].startswith("ValueError: no one (test_functions.py:")


def test_an_async_def_that_yields_gives_rows_one_by_one() -> None:
    async def counted(n: int) -> AsyncIterator[float]:
        for k in range(n):
            await asyncio.sleep(0)
            if n == 3 and k == 2:
                raise ValueError("late")
            yield k

    result = call(function(counted, adds=False, inputs=NUMBERS), numbers(4))
    assert column(result) == [0, 0, 1]
    assert [row for row, _ in result.errors] == [3], "the rows before its error are no rows"


@pytest.mark.parametrize("takes", ["arrow", "numpy"])
def test_an_async_def_of_batches_is_waited_for(takes: str) -> None:
    async def doubled(n: Any) -> Any:
        await asyncio.sleep(0)
        return pc.cast(n.column("n"), pa.float64()) if takes == "arrow" else n.astype(float)

    assert column(call(function(doubled, takes, inputs=NUMBERS), numbers(3))) == [0.0, 1.0, 2.0]


def test_a_class_opens_and_closes_what_it_waits_for_in_one_loop() -> None:
    seen: list[Any] = []

    class Client:
        async def open(self, context: Context) -> None:
            seen.append(asyncio.get_running_loop())

        async def process(self, n: int) -> float:
            seen.append(asyncio.get_running_loop())
            return float(n)

        async def close(self) -> None:
            seen.append(asyncio.get_running_loop())

    made = Function.of(Spec("mine:Client", "row", True, [], True, 2, {}, NUMBERS, SCORE), Client)
    assert column(call(made, numbers(1))) == [0.0]
    made.close()
    assert len(seen) == 3
    assert len(set(map(id, seen))) == 1


class Reusing:
    """Returns objects of its own, and changes them in the next call."""

    def __init__(self) -> None:
        self.last: list[float | None] = []
        self.row: dict[str, Any] = {}

    def seen(self, a: float | None) -> list[float | None]:
        self.last.append(a)
        return self.last

    def pairs(self, a: float | None) -> Any:
        self.row["x"] = a
        self.row["y"] = self.seen(a)
        return self.row

    def many(self, a: float | None) -> Any:
        self.last.clear()
        self.last += [a, a]
        return self.last

    def later(self, a: float | None) -> Iterator[float | None]:
        self.last = [a]
        return iter(self.last)


LIST = pa.schema([("seen", pa.list_(pa.float64()))])
PAIRS = pa.schema([("x", pa.float64()), ("y", pa.list_(pa.float64()))])


@pytest.mark.parametrize(("name", "adds", "outputs"), [("seen", True, LIST), ("pairs", True, PAIRS), ("pairs", False, PAIRS),
                                                       ("many", False, SCORE), ("later", False, SCORE)])
def test_a_row_is_what_it_was_when_its_call_returned(name: str, adds: bool, outputs: pa.Schema) -> None:
    whole = call(function(getattr(Reusing(), name), adds=adds, outputs=outputs))
    alone = function(getattr(Reusing(), name), adds=adds, outputs=outputs)
    parts = [call(alone, ROWS.slice(k, 1)).batch for k in range(ROWS.num_rows)]
    assert whole.errors == []
    assert whole.batch.to_pylist() == pa.Table.from_batches(parts).to_pylist()


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()])
def test_numbers_of_each_width_are_read_from_any_place(kind: pa.DataType) -> None:
    schema = pa.schema([("a", kind)])
    batch = pa.RecordBatch.from_pydict({"a": [0, 1, -7, 100, 3]}, schema).slice(1, 3)
    made = function(lambda a: float(a), inputs=schema)
    assert column(made.call(batch)) == [1.0, -7.0, 100.0]
    assert column(made.call(batch.slice(0, 0))) == []
