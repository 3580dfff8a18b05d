"""Functions called without an engine, and the columns that they get, which are those that the engine gives."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import despina
from despina.columns import Columns
from despina.engine import Engine
from despina.errors import RefusedError
from despina.functions import ddl
from despina.functions.testing import Called, call

COLUMNS = ("a BOOLEAN, b TINYINT, c SMALLINT, d INT NOT NULL, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(12, 3), i DECIMAL, "
           "j STRING, k BINARY, l DATE, m TIMESTAMP, n TIMESTAMP_NTZ, o ARRAY<INT>, p MAP<STRING, ARRAY<DOUBLE>>, "
           "q STRUCT<x: INT, `y z`: STRUCT<w: DATE>>, `r ``s` STRING COMMENT 'it, too'")


def test_columns_are_those_of_the_engine(real_engine: Engine) -> None:
    graph = despina.Graph.from_dict({"format": 1, "name": "g", "operators": {
        "source": {"type": "file_source", "path": "none", "format": "json", "schema": COLUMNS}, "sink": {"type": "discard_sink"}},
        "links": [{"from": "source", "to": "sink"}]})
    checked = graph.check(engine=real_engine, inputs=["source"])
    known = Columns.of_stream(checked.inputs["source"]).schema
    found = ddl.schema(COLUMNS)
    assert found.names == known.names
    for field, wanted in zip(found, known, strict=True):
        assert field.type == wanted.type, field.name
    assert [field.name for field in found if not field.nullable] == ["d"]     # which a file does not promise


@pytest.mark.parametrize(("columns", "words"), [
    ("id", "a type is missing before `the end`"), ("id BIGINT,", "a name is missing before `the end`"),
    ("id FOO", "there is no type `FOO`"), ("id ARRAY<INT", "`>` is missing before `the end`"),
    ("id BIGINT x", "`,` is missing before `x`"), ("id ; INT", "nothing can be made of `; INT`"), ("", "a name is missing"),
    ("id INT NOT", "`NULL` is missing before `the end`"), ("id MAP<INT>", "`,` is missing before `>`"),
    ("id DECIMAL(a)", "`a` is no number"),
])
def test_columns_that_cannot_be_read(columns: str, words: str) -> None:
    with pytest.raises(RefusedError) as found:
        ddl.schema(columns)
    assert words in str(found.value)
    assert Path(__file__).name in str(found.value)


@despina.function(adds="half DOUBLE", on_error={"type": "skip"})
def half(n: int | None) -> float | None:
    return None if n is None else 12 // n / 2


def words(text: str) -> Iterator[str]:
    yield from text.split()


async def later(n: int) -> int:
    await asyncio.sleep(0)
    return n + 1


class Scaled:
    """Has what `open` told it."""

    def open(self, context: Any) -> None:
        self.factor = float(context.options["factor"])

    def process(self, n: float) -> float:
        return n * self.factor


def test_rows_that_a_function_adds_to_and_those_it_fails_for() -> None:
    found = call(half, [{"n": 4}, {"n": 0}, {"n": None}])
    assert found.rows == [{"n": 4, "half": 1.5}, {"n": None, "half": None}]
    [(number, why)] = found.errors
    assert number == 1
    assert "ZeroDivisionError" in why
    assert "in half" in why


def test_each_kind_of_function() -> None:
    assert call(words, [{"text": "a b"}, {"text": ""}], schema="word STRING") == Called([{"word": "a"}, {"word": "b"}], [])
    assert call(later, [{"n": 1}, {"n": 2}], adds="m INT").rows == [{"n": 1, "m": 2}, {"n": 2, "m": 3}]
    assert call(Scaled, [{"n": 3.0}], adds="m DOUBLE", options={"factor": "2"}).rows == [{"n": 3.0, "m": 6.0}]
    apart = call(lambda n: n - n.mean(), [{"n": 1.0}, {"n": 3.0}], adds="v DOUBLE", takes="numpy")
    assert [row["v"] for row in apart.rows] == [-1.0, 1.0]
    alone = call(lambda n: n - n.mean(), [{"n": 1.0}, {"n": 3.0}], adds="v DOUBLE", takes="numpy", batch_rows=1)
    assert [row["v"] for row in alone.rows] == [0.0, 0.0]


def test_errors_of_later_batches_keep_their_number() -> None:
    found = call(half, [{"n": 1}, {"n": 2}, {"n": 0}, {"n": 3}], batch_rows=2)
    assert [number for number, _ in found.errors] == [2]
    assert [row["half"] for row in found.rows] == [6.0, 3.0, 2.0]


def test_values_have_the_types_of_the_graph() -> None:
    row = {"d": Decimal("1.50"), "at": datetime(2026, 1, 2, tzinfo=UTC), "on": date(2026, 1, 2), "t": timedelta(seconds=3)}
    seen: list[Any] = []

    def look(d: Decimal, at: datetime, on: date, t: timedelta) -> int:
        seen.extend([d, at, on, t])
        return 1 << 40

    inputs = "d DECIMAL(10, 2), at TIMESTAMP, on DATE, t INTERVAL DAY TO SECOND"
    found = call(look, [row], inputs, adds="v INT")
    assert seen == list(row.values())
    assert found.rows == []
    assert "column `v` is INT, and 1099511627776 (int) does not fit" in found.errors[0][1]


@pytest.mark.parametrize(("arguments", "words"), [
    ({"adds": "v INT", "schema": "v INT"}, "either `adds` or `schema`"), ({}, "either `adds` or `schema`"),
    ({"adds": "v INT", "columns": ["m"]}, "wants `m`, which is no column of its input: n"),
    ({"adds": "v INT", "inputs": "m INT"}, "`inputs` has no column `n`"),
])
def test_what_cannot_be_called_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(RefusedError) as found:
        call(lambda n: np.int32(n), [{"n": 1}], **arguments)
    assert words in str(found.value)
    assert Path(__file__).name in str(found.value)


class Runs:
    def process(self, key: str | None, row: Any, state: Any) -> tuple[str, int]:
        state.count = (state.count or 0) + row.step
        if state.count > 5:
            raise ValueError("too many")
        return f"{key}", state.count


def test_state_is_kept_by_the_columns_of_group_by() -> None:
    run = despina.function(adds="of STRING, n BIGINT", group_by=["k"], state="count BIGINT")(Runs)
    rows = [{"k": k, "step": step} for k, step in [("a", 2), ("b", 3), ("a", 4), (None, 1), ("a", 1), ("b", 1), (None, 2)]]
    for size in (1, 3, None):
        found = call(run, rows, batch_rows=size)
        assert [(row["of"], row["n"]) for row in found.rows] == [
            ("a", 2), ("b", 3), ("None", 1), ("a", 3), ("b", 4), ("None", 3)]
        assert [k for k, _ in found.errors] == [2]


@pytest.mark.parametrize(("group_by", "words"), [(["kk"], "which is no column"), ([], "`state` without `group_by`")])
def test_state_by_what_is_no_column_is_refused(group_by: list[str], words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        call(Runs, [{"k": "a", "step": 1}], adds="of STRING, n BIGINT", group_by=group_by, state="count BIGINT")


class Silence:
    """Ten seconds without a row of a device."""

    def process(self, key: Any, row: Any, state: Any) -> None:
        state.n = (state.n or 0) + 1
        state.set_timer(row.ts + timedelta(seconds=10))

    def timer(self, key: Any, when: datetime, state: Any) -> tuple[datetime, str, int]:
        n, state.n = state.n, None
        return when, key, n


def test_a_timer_that_raises_takes_no_row_and_fields_are_as_in_a_graph() -> None:
    class Rings:
        def open(self, context: Any) -> None:
            self.limit = context.options["limit"] + context.options["loud"]

        def process(self, key: Any, row: Any, state: Any) -> str:
            state.set_timer(row.at + timedelta(seconds=1))
            return f"{key}{self.limit}"

        def timer(self, key: Any, when: datetime, state: Any) -> None:
            raise ValueError("bell")

    rows = [{"key": "a", "at": datetime(2026, 11, 29, 12, 0, second, tzinfo=UTC)} for second in (0, 5)]
    found = call(Rings, rows, adds="text STRING", group_by="key", state="n BIGINT", clock="event", event_time="at",
                 options={"limit": 2, "loud": True})
    assert [row["text"] for row in found.rows] == ["a2true", "a2true"]
    assert [why.partition(" (")[0] for _, why in found.errors] == ["ValueError: bell"] * 2


def test_timers_are_called_by_event_time_and_at_the_end() -> None:
    def at(seconds: int) -> datetime:
        return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)

    kept: dict[str, Any] = {"group_by": ["device"], "state": "n INT", "schema": "at TIMESTAMP, device STRING, n INT"}
    rows = [{"ts": at(second), "device": device} for second, device in [(0, "a"), (3, "b"), (30, "a"), (2, "a")]]
    assert call(Silence, rows, clock="event", event_time="ts", **kept).rows == [
        {"at": at(12), "device": "a", "n": 2}, {"at": at(13), "device": "b", "n": 1}, {"at": at(40), "device": "a", "n": 1}]
    assert [row["n"] for row in call(Silence, rows, clock="processing", **kept).rows] == [3, 1]
    with pytest.raises(RefusedError, match="needs the event time of the rows"):
        call(Silence, rows, clock="event", **kept)
