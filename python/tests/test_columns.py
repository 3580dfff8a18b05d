"""Whatever is given fits the source's columns, or the first value that does not is named."""

import datetime as dt
import decimal
from collections import namedtuple
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from despina.columns import Columns, as_table
from despina.errors import RefusedError

UTC = dt.UTC
ZONE = "Europe/Rome"
SCHEMA = pyarrow.schema([
    pyarrow.field("ts", pyarrow.timestamp("us", ZONE)), pyarrow.field("device", pyarrow.string()),
    pyarrow.field("n", pyarrow.int64(), nullable=False), pyarrow.field("x", pyarrow.float32())])
TIMES = pyarrow.schema([SCHEMA.field("ts"), SCHEMA.field("n")])
ROW = {"ts": dt.datetime(2024, 7, 1, 12, tzinfo=UTC), "device": "a", "n": 1, "x": 0.5}


def batches(*pieces: Any, schema: pyarrow.Schema = SCHEMA) -> list[dict[str, Any]]:
    found = list(Columns(schema).batches(pieces))
    assert all(batch.schema == schema for batch in found)
    return [row for batch in found for row in batch.to_pylist()]


def one(kind: Any, value: Any, nullable: bool = True) -> Any:
    return batches({"v": value}, schema=pyarrow.schema([pyarrow.field("v", kind, nullable=nullable)]))[0]["v"]


def refusal(*pieces: Any, schema: pyarrow.Schema = SCHEMA) -> RefusedError:
    with pytest.raises(RefusedError) as raised:
        batches(*pieces, schema=schema)
    assert raised.value.rule == "input"
    return raised.value


@pytest.mark.parametrize("piece", [
    ROW, tuple(ROW.values()), [ROW], [tuple(ROW.values())], pyarrow.Table.from_pylist([ROW]),
    pyarrow.RecordBatch.from_pylist([ROW]), pyarrow.Table.from_pylist([ROW]).to_reader(), pandas.DataFrame([ROW], index=["i"]),
    polars.DataFrame([ROW]), dict(reversed(ROW.items())),
], ids=lambda piece: type(piece).__name__)
def test_rows_of_every_kind_become_the_sources(piece: Any) -> None:
    assert batches(piece) == [ROW]


def test_pieces_stay_in_order_and_rows_that_stand_together_go_together() -> None:
    rows = [ROW | {"n": n} for n in range(5)]
    found = list(Columns(SCHEMA).batches([rows[0], rows[1], pyarrow.Table.from_pylist(rows[2:4]), [rows[4]]]))
    assert [batch.num_rows for batch in found] == [2, 2, 1]
    assert [row["n"] for batch in found for row in batch.to_pylist()] == list(range(5))


@pytest.mark.parametrize("piece", [
    {"n": 1, "device": "a", "ts": None}, [ROW, {"n": 1, "device": "a", "ts": None}],
    pyarrow.table({"n": [1], "device": ["a"], "ts": [None]}),
    polars.DataFrame([ROW]).drop("x"), pandas.DataFrame([ROW]).drop(columns="x"),
], ids=lambda piece: type(piece).__name__)
def test_a_missing_column_is_refused_also_where_null_may_be(piece: Any) -> None:
    found = refusal(piece)
    assert found.message == "the rows have no column x"
    assert found.hint.endswith("or write in the source's schema: x FLOAT DEFAULT NULL")


def test_all_missing_columns_are_named() -> None:
    found = refusal({"device": "a", "x": 1.0})
    assert found.message == "the rows have no column ts, n"
    assert found.hint.endswith(": ts TIMESTAMP DEFAULT NULL, n BIGINT DEFAULT …")
    assert refusal([ROW, ROW | {"n": None}]).message == "column n is NOT NULL, and a row has no value for it"


def test_a_column_with_a_default_may_be_left_out() -> None:
    columns = Columns(SCHEMA, {"x": pyarrow.scalar(2.5, pyarrow.float32()), "ts": pyarrow.scalar(None, SCHEMA.field(0).type)})
    pieces = [{"n": 1, "device": "a"}, ROW, pyarrow.table({"n": [2], "device": ["b"]})]
    assert [row for batch in columns.batches(pieces) for row in batch.to_pylist()] == [
        {"ts": None, "device": "a", "n": 1, "x": 2.5}, ROW, {"ts": None, "device": "b", "n": 2, "x": 2.5}]
    with pytest.raises(RefusedError, match="the rows have no column n"):
        list(columns.batches([{"device": "a"}]))


def test_names_compare_without_case() -> None:
    loud = {name.upper(): value for name, value in ROW.items()}
    assert batches(loud, pyarrow.Table.from_pylist([loud])) == [ROW, ROW]
    assert refusal(ROW | {"X": 1}).message == "two columns are called X"


def test_a_field_of_a_struct_is_no_more_left_out_than_a_column() -> None:
    schema = pyarrow.schema([("v", pyarrow.struct([("a", pyarrow.int32()), ("b", pyarrow.int32())]))])
    assert "which cannot hold {'a': 1}" in refusal({"v": {"a": 1}}, schema=schema).message
    table = pyarrow.table({"v": pyarrow.array([{"a": 1}])})
    assert refusal(table, schema=schema).message.startswith("column v is struct<")


def test_a_column_too_many_is_refused_with_what_was_meant() -> None:
    meant = refusal({name.replace("device", "devise"): value for name, value in ROW.items()})
    assert (meant.message, meant.hint) == ("the source has no column devise", "did you mean device?")
    assert refusal(ROW | {"room": 1}).hint == "there are ts, device, n, x"
    assert refusal(polars.DataFrame([ROW]).rename({"x": "y"})).message == "the source has no column y"
    assert refusal(pyarrow.table([[1], [2]], names=["n", "n"])).message == "two columns are called n"
    short = refusal((1, 2))
    assert (short.message, short.hint) == ("a tuple of 2 values for 4 columns: (1, 2)", "in order: ts, device, n, x")


@pytest.mark.parametrize(("kind", "value", "kept"), [
    (pyarrow.int64(), 3.0, 3), (pyarrow.int8(), 127, 127), (pyarrow.int64(), numpy.int32(5), 5), (pyarrow.float64(), 3, 3.0),
    (pyarrow.float32(), 0.5, 0.5), (pyarrow.decimal128(9, 2), decimal.Decimal("1.5"), decimal.Decimal("1.50")),
    (pyarrow.decimal128(9, 2), 7, decimal.Decimal("7.00")), (pyarrow.int64(), decimal.Decimal("7.0"), 7),
    (pyarrow.list_(pyarrow.int32()), [1, None], [1, None]),
    (pyarrow.map_(pyarrow.string(), pyarrow.int32()), {"a": 1}, [("a", 1)]),
    (pyarrow.struct([("a", pyarrow.int32()), ("b", pyarrow.string())]), {"b": "x", "a": 1}, {"a": 1, "b": "x"}),
    (pyarrow.date32(), dt.date(2024, 1, 2), dt.date(2024, 1, 2)), (pyarrow.bool_(), True, True), (pyarrow.binary(), b"x", b"x"),
    (pyarrow.timestamp("us"), dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 2)), (pyarrow.int64(), None, None),
])
def test_values_that_lose_nothing_are_cast(kind: Any, value: Any, kept: Any) -> None:
    assert one(kind, value) == kept


@pytest.mark.parametrize(("kind", "value", "said"), [
    (pyarrow.int64(), 3.5, "v is BIGINT, which cannot hold 3.5 without loss"),
    (pyarrow.int8(), 128, "v is TINYINT, which cannot hold 128 without loss"),
    (pyarrow.int64(), 2**70, "v is BIGINT, which cannot hold 1180591620717411303424 without loss"),
    (pyarrow.int64(), float("nan"), "v is BIGINT, which cannot hold nan without loss"),
    (pyarrow.float32(), 0.1, "v is FLOAT, which cannot hold 0.1 without loss"),
    (pyarrow.float64(), 2**53 + 1, "v is DOUBLE, which cannot hold 9007199254740993 without loss"),
    (pyarrow.decimal128(4, 1), 0.25, "v is DECIMAL(4,1), which cannot hold 0.25 without loss"),
    (pyarrow.int64(), "7", "v is BIGINT, which cannot hold '7'"), (pyarrow.int64(), True, "v is BIGINT, which cannot hold True"),
    (pyarrow.string(), 7, "v is STRING, which cannot hold 7"), (pyarrow.bool_(), 1, "v is BOOLEAN, which cannot hold 1"),
    (pyarrow.timestamp("us", "UTC"), 1_700_000_000, "v is TIMESTAMP, which cannot hold 1700000000"),
    (pyarrow.timestamp("us", "UTC"), "2024-01-01", "v is TIMESTAMP, which cannot hold '2024-01-01'"),
    (pyarrow.timestamp("us"), dt.datetime(2024, 1, 1, tzinfo=UTC), "v is TIMESTAMP_NTZ, which cannot hold datetime"),
    (pyarrow.struct([("a", pyarrow.int32())]), {"a": 1, "b": 2}, "which cannot hold {'a': 1, 'b': 2}"),
    (pyarrow.int64(), object, "v is BIGINT, which cannot hold <class 'object'>"),
])
def test_a_value_that_would_lose_something_is_named(kind: Any, value: Any, said: str) -> None:
    good: Any = None
    message = refusal([{"v": good}, {"v": value}, {"v": good}], schema=pyarrow.schema([("v", kind)])).message
    assert message.startswith("column v is ")
    assert said in message


def test_the_first_bad_value_of_many_is_named_in_tables_too() -> None:
    table = pyarrow.table({"n": [1.0, None, 2.0, 2.5, 3.5]})
    assert refusal(table, schema=pyarrow.schema([("n", pyarrow.int64())])).message == (
        "column n is BIGINT, which cannot hold 2.5 without loss")
    wrong = refusal(pyarrow.table({"ts": ["2024-01-01"], "n": [1]}), schema=TIMES)
    assert (wrong.message, wrong.hint) == ("column ts is TIMESTAMP, and the rows have STRING",
                                           "datetime.fromisoformat, or pandas.to_datetime, makes times of texts")


@pytest.mark.parametrize("kind", [pyarrow.float32(), pyarrow.float64(), pyarrow.decimal128(9, 2)])
def test_numbers_of_two_bytes_lose_nothing(kind: Any) -> None:
    halves = pyarrow.table({"v": numpy.array([1.5, -2], dtype=numpy.float16)})
    assert [row["v"] for row in batches(halves, schema=pyarrow.schema([("v", kind)]))] == [1.5, -2]
    assert refusal(halves, schema=pyarrow.schema([("v", pyarrow.int8())])).message == (
        "column v is TINYINT, which cannot hold 1.5 without loss")


@pytest.mark.parametrize("make", [lambda rows: rows, pandas.DataFrame])
def test_nanoseconds_are_told_by_their_name(make: Any) -> None:
    times = pyarrow.schema([("v", pyarrow.timestamp("us"))])
    whole, more = pandas.Timestamp("2024-01-01T00:00:00.123456"), pandas.Timestamp("2024-01-01T00:00:00.123456789")
    assert [row["v"] for row in batches(make([{"v": whole}]), schema=times)] == [whole]
    wrong = refusal(make([{"v": whole}, {"v": more}]), schema=times)
    assert wrong.message == f"column v is TIMESTAMP_NTZ, which cannot hold {more!r}"
    assert wrong.hint == 'a time counts microseconds: .dt.floor("us") of pandas cuts off nanoseconds'


def test_values_of_several_types_are_each_looked_at() -> None:
    number = pyarrow.schema([("v", pyarrow.float64())])
    assert [row["v"] for row in batches([{"v": 1}, {"v": decimal.Decimal("0.5")}, {"v": 2.5}], schema=number)] == [1, 0.5, 2.5]
    assert refusal([{"v": 1}, {"v": "b"}, {"v": "c"}], schema=number).message == "column v is DOUBLE, which cannot hold 'b'"


@pytest.mark.parametrize("make", [lambda rows: rows, pandas.DataFrame, polars.DataFrame, pyarrow.Table.from_pylist])
def test_a_time_without_a_zone_is_one_of_the_graphs(make: Any) -> None:
    naive = make([{"ts": dt.datetime(2024, 7, 1, 12), "n": 1}])
    assert batches(naive, schema=TIMES)[0]["ts"] == dt.datetime(2024, 7, 1, 10, tzinfo=UTC)


def test_times_with_and_without_a_zone_may_be_mixed() -> None:
    rows = [{"ts": dt.datetime(2024, 7, 1, 12, tzinfo=UTC), "n": 1}, {"ts": dt.datetime(2024, 7, 1, 12), "n": 2}]
    assert [row["ts"].astimezone(UTC).hour for row in batches(rows, schema=TIMES)] == [12, 10]
    offset = pyarrow.schema([("ts", pyarrow.timestamp("us", "+03:00"))])
    for year in (2024, 2100):
        assert batches({"ts": dt.datetime(year, 7, 1, 12)}, schema=offset)[0]["ts"] == dt.datetime(year, 7, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("year", [2024, 2100, 9999])
def test_a_time_that_the_clocks_skip_is_refused(year: int) -> None:
    last_sunday = max(day for day in range(25, 32) if dt.date(year, 3, day).isoweekday() == 7)
    skipped = dt.datetime(year, 3, last_sunday, 2, 30)
    wrong = refusal({"ts": skipped, "n": 1}, schema=TIMES)
    assert wrong.message == f"column ts is TIMESTAMP, which cannot hold {skipped!r}"
    assert wrong.hint == "the clocks of Europe/Rome skip it; give it a zone of its own"


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_summer_time_goes_on_after_2037(unit: str) -> None:
    years = [1970, 2037, 2038, 2100, 9999]
    local = [None, *(dt.datetime(year, month, 1, 12) for year in years for month in (1, 7))]
    table = pyarrow.table({"ts": pyarrow.array(local, pyarrow.timestamp(unit)), "n": [1] * len(local)})
    offsets = [(naive - row["ts"].astimezone(UTC).replace(tzinfo=None)) // dt.timedelta(hours=1)
               for naive, row in zip(local[1:], batches(table, schema=TIMES)[1:], strict=True)]
    assert offsets == [1, 2] * len(years)


def test_a_named_tuple_goes_by_its_names() -> None:
    pair = namedtuple("pair", ["n", "ts"])
    wanted = {"ts": None, "n": 1}
    assert batches(pair(1, None), [pair(1, None)], schema=TIMES) == [wanted, wanted]


def test_pandas_nan_is_null_and_categories_are_their_values() -> None:
    frame = pandas.DataFrame({"n": [1.0, 2.0], "x": [0.5, float("nan")], "device": pandas.Categorical(["a", "b"])})
    frame["ts"] = None
    assert [(row["n"], row["x"], row["device"]) for row in batches(frame)] == [(1, 0.5, "a"), (2, None, "b")]
    gaps = pandas.DataFrame({"n": [1.0, float("nan")], "ts": None})
    assert refusal(gaps, schema=TIMES).message.startswith("column n is NOT NULL")


def test_a_null_inside_of_a_list_that_may_have_none_is_refused() -> None:
    kind = pyarrow.list_(pyarrow.field("element", pyarrow.int64(), nullable=False))
    assert one(kind, [1, 2]) == [1, 2]
    assert "NOT NULL" in refusal({"v": [1, None]}, schema=pyarrow.schema([("v", kind)])).message


@pytest.mark.parametrize("piece", ["abc", 7, None, [1], object()])
def test_what_is_no_row_is_refused(piece: Any) -> None:
    assert "is not a row" in refusal(piece).message


def test_what_only_looks_like_a_table_is_refused() -> None:
    with pytest.raises(RefusedError, match="is not a table"):
        as_table(polars.Series([1, 2]))


@given(st.lists(st.none() | st.integers(-(2**31), 2**31 - 1)))
def test_numbers_come_through_every_door_alike(values: list[int | None]) -> None:
    schema = pyarrow.schema([("v", pyarrow.float64())])
    rows = [{"v": value} for value in values]
    wanted = [{"v": None if value is None else float(value)} for value in values]
    assert batches(rows, schema=schema) == wanted
    assert batches(pyarrow.table({"v": pyarrow.array(values, pyarrow.int64())}), schema=schema) == wanted
