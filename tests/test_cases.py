"""What the comparison of the contract cases calls equal, and what their marks say."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from despina.testing.rows import differences, written
from support import connector_cases, marks
from support.cases import cases


def same(found: Any, expected: Any, aggregates: tuple[str, ...] = ()) -> bool:
    """Whether two rows of one column are equal."""
    return not differences([{"x": found}], [{"x": expected}], ordered=True, aggregates=aggregates)


@pytest.mark.parametrize(("a", "b"), [
    (0.1, 0.1), (math.nan, math.nan), (-0.0, 0.0), (2.0, 2), (math.inf, math.inf), ([0.5], [0.5]),
])
def test_doubles_that_are_equal(a: Any, b: Any) -> None:
    assert same(a, b)


@pytest.mark.parametrize(("a", "b"), [(0.1 + 0.2, 0.3), ([0.1 + 0.2], [0.3]), ({"y": 0.1 + 0.2}, {"y": 0.3})])
def test_the_last_digit_counts_but_out_of_an_aggregate(a: Any, b: Any) -> None:
    assert not same(a, b)
    assert same(a, b, aggregates=("x",))


@pytest.mark.parametrize(("a", "b"), [(math.nan, 0.0), (1.0, 1.000001), (True, 1), (1.0, None)])
def test_what_differs_in_any_column(a: Any, b: Any) -> None:
    assert not same(a, b, aggregates=("x",))


def test_rows_that_differ_in_a_late_digit_find_their_like_in_any_order() -> None:
    rows = [{"k": 1.0 + step * 1e-12, "mean": step / 3} for step in range(20)]
    near = [{"k": row["k"], "mean": row["mean"] + 1e-13} for row in reversed(rows)]
    assert differences(near, rows, ordered=False, aggregates=("mean",)) == []
    assert differences(near, rows, ordered=False) != []


@pytest.mark.parametrize(("value", "kind", "text"), [
    (datetime(2012, 2, 22, 16, 46, 28, tzinfo=UTC), pa.timestamp("us", "UTC"), "2012-02-22T16:46:28Z"),
    ("2012-02-22T17:46:28.5+01:00", pa.timestamp("us", "UTC"), "2012-02-22T16:46:28.500000Z"),
    ("2012-02-22T16:46:28", pa.timestamp("us", "UTC"), "2012-02-22T15:46:28Z"),
    ("2012-02-22T16:46:28", pa.timestamp("us"), "2012-02-22T16:46:28"),
    ("soon", pa.timestamp("us"), "soon"),
    (date(2012, 2, 22), pa.date32(), "2012-02-22"),
    (Decimal("1.50"), pa.decimal128(9, 2), "1.50"), (1.5, pa.decimal128(9, 2), "1.50"), ("1.505", pa.decimal128(9, 2), "1.505"),
    (b"\x00\xff", pa.binary(), "AP8="), ("Infinity", pa.float64(), math.inf), (None, pa.int32(), None),
    ([("b", 2), ("a", None)], pa.map_(pa.string(), pa.int32()), {"a": None, "b": 2}),
    ([{"x": Decimal(3)}], pa.list_(pa.struct([("x", pa.decimal128(4, 1)), ("y", pa.int32())])), [{"x": "3.0", "y": None}]),
])
def test_a_value_as_a_file_of_tests_has_it(value: Any, kind: pa.DataType, text: Any) -> None:
    assert written(value, kind, "Europe/Berlin") == text
    assert written(text, kind, "UTC") == text


def test_the_page_of_where_operators_run_is_what_the_cases_say() -> None:
    assert marks.PAGE.read_text(encoding="utf-8") == marks.page(), "`make generate` writes it"


def test_every_operator_type_has_cases_or_is_tried_elsewhere() -> None:
    tried = {case.folder.parent.name for case in cases()} - {marks.TOGETHER}
    assert tried | set(marks.ELSEWHERE) == marks.types()


def test_the_page_of_connectors_is_current_and_has_a_reason_for_each_gap() -> None:
    tried, gaps = {*connector_cases.tried()}, {*connector_cases.GAPS}
    assert tried & gaps == set()
    known = {(name, case) for case in connector_cases.CASES for name in connector_cases.CONNECTORS}
    assert (tried | gaps) - known == set()
    assert {case for _, case in known - tried - gaps} <= {*connector_cases.SOAKED}
    assert connector_cases.PAGE.read_text(encoding="utf-8") == connector_cases.page(), "`make generate` writes it"
