"""Values between Arrow and Python: each type there and back, with nothing rounded in silence.

A TIMESTAMP is an aware ``datetime`` in UTC, a TIMESTAMP_NTZ a naive one, a DECIMAL a ``Decimal``, an interval of days and
seconds a ``timedelta`` and one of months an ``int``, a MAP a ``dict``, a STRUCT a ``dict``, NULL is None.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from despina_worker.errors import ValueRefusedError

SQL = b"sql"
"""The key of a field's metadata: its type, as the graph writes it."""

AWARE = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
NAIVE = datetime.datetime(1970, 1, 1)
MICRO = datetime.timedelta(microseconds=1)
LONGEST = 100
types = pa.types


def warm() -> None:
    """Has pyarrow load what it loads for the first value, which is all of pandas where that is installed: it takes longer than
    all else that a process does before its first row.
    """
    to_list(pa.array([0.5]))


CODES: dict[pa.DataType, Literal["d", "f", "q", "i", "h", "b"]] = {
    pa.float64(): "d", pa.float32(): "f", pa.int64(): "q", pa.int32(): "i", pa.int16(): "h", pa.int8(): "b"}
"""Of numbers, as ``memoryview`` calls them."""


def to_values(array: pa.Array) -> Sequence[Any]:
    """The values of a column that is gone through once: numbers are made as they are asked for, which costs less than a list."""
    code = CODES.get(array.type)
    if code is None or array.null_count or not len(array):
        return to_list(array)
    width = array.type.bit_width // 8
    values = memoryview(array.buffers()[1])[array.offset * width:(array.offset + len(array)) * width]
    return values.cast(code)


def to_list(array: pa.Array) -> list[Any]:
    """The values of a column for a function of rows."""
    kind = array.type
    if types.is_timestamp(kind):
        epoch = AWARE if kind.tz else NAIVE
        delta = datetime.timedelta
        return [None if micros is None else epoch + delta(0, 0, micros) for micros in to_list(array.view(pa.int64()))]
    plain = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    if plain and array.null_count == 0:
        return list(array.to_numpy(zero_copy_only=False).tolist())
    values = array.to_pylist()
    change = _python_form(kind)
    return values if change is None else [None if value is None else change(value) for value in values]


def _python_form(kind: pa.DataType) -> Callable[[Any], Any] | None:
    """What makes of pyarrow's value the one that is promised; None if it is that."""
    if types.is_map(kind):
        key, item = _whole(_python_form(kind.key_type)), _whole(_python_form(kind.item_type))
        return lambda pairs: {key(k): item(v) for k, v in pairs}
    if types.is_list(kind):
        inner = _python_form(kind.value_type)
        return None if inner is None else lambda values: [None if v is None else inner(v) for v in values]
    if types.is_struct(kind):
        forms = {field.name: form for field in kind if (form := _python_form(field.type)) is not None}
        return (lambda row: {k: v if v is None or k not in forms else forms[k](v) for k, v in row.items()}) if forms else None
    return None


def _whole(form: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    return (lambda value: value) if form is None else (lambda value: None if value is None else form(value))


def copying(kind: pa.DataType) -> Callable[[Any], Any] | None:
    """What makes of a value of that type one that nobody changes later; None where none can be changed. What is of another type
    stays as it is.
    """
    if types.is_list(kind):
        inner = copying(kind.value_type)
        return lambda value: value if value is None or isinstance(value, str) or not isinstance(value, Iterable) \
            else list(value) if inner is None else [inner(each) for each in value]
    if types.is_map(kind):
        item = _whole(copying(kind.item_type))
        return lambda value: {k: item(v) for k, v in value.items()} if isinstance(value, dict) else value
    if types.is_struct(kind):
        return copying_rows([(field.name, field.type) for field in kind])
    if types.is_binary(kind):
        return lambda value: bytes(value) if isinstance(value, (bytearray, memoryview)) else value
    return None


def copying_rows(fields: Sequence[tuple[str, pa.DataType]]) -> Callable[[Any], Any]:
    """The same of rows with these columns: dicts, tuples or lists."""
    copies = [copying(kind) for _, kind in fields]
    by_name = {name: copy for (name, _), copy in zip(fields, copies, strict=True) if copy is not None}

    def copied(value: Any) -> Any:
        if type(value) is tuple and not by_name:
            return value
        if isinstance(value, dict):
            return {name: by_name[name](each) if name in by_name else each for name, each in value.items()}
        if isinstance(value, (tuple, list)) and len(value) == len(copies):
            return tuple([each if copy is None else copy(each) for copy, each in zip(copies, value, strict=True)])
        return value
    return copied


def to_array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """A column of values that a function returned. Raises ``ValueRefusedError`` or one of pyarrow's if one does not fit."""
    if types.is_timestamp(kind):
        epoch = AWARE if kind.tz else NAIVE
        return pa.array([None if v is None else (v - epoch) // MICRO for v in values], pa.int64()).view(kind)
    if types.is_date(kind) and any(isinstance(v, datetime.datetime) for v in values):
        raise ValueRefusedError("a datetime is no date: say `.date()`")
    if types.is_map(kind):
        return _maps(values, kind)
    if types.is_list(kind):
        parts = [None if v is None else list(v) for v in values]
        flat = [each for part in parts if part is not None for each in part]
        return pa.ListArray.from_arrays(_offsets(parts), to_array(flat, kind.value_type), type=kind)
    if types.is_struct(kind):
        return _structs(values, kind)
    if types.is_decimal(kind) or types.is_boolean(kind) or types.is_null(kind):
        return pa.array(values, kind)
    return conformed(pa.array(values), kind)


def _offsets(parts: Sequence[Any]) -> pa.Array:
    """Of the parts in their flat list; NULL where a part is None."""
    offsets: list[int | None] = []
    at = 0
    for part in parts:
        offsets.append(None if part is None else at)
        at += 0 if part is None else len(part)
    return pa.array([*offsets, at], pa.int32())


def _maps(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    keys = to_array([k for v in values if v is not None for k in v], kind.key_type)
    items = to_array([i for v in values if v is not None for i in v.values()], kind.item_type)
    return pa.MapArray.from_arrays(_offsets(values), keys, items).cast(kind)


def _structs(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    fields = list(kind)
    names = [field.name for field in fields]
    rows = [None if v is None else row_of(v, names) for v in values]
    columns = []
    for k, field in enumerate(fields):
        column = [None if row is None else row[k] for row in rows]
        columns.append(to_array(column, field.type))
        if not field.nullable and any(row is not None and row[k] is None for row in rows):
            raise ValueRefusedError(f"field `{field.name}` is NOT NULL")
    return pa.StructArray.from_arrays(columns, fields=fields, mask=pa.array([row is None for row in rows], pa.bool_()))


def alone(value: Any, field: pa.Field) -> Any:
    """The value of a row of one column: also of a tuple or dict of it, where the column could not hold that itself."""
    if types.is_nested(field.type):
        return value
    if isinstance(value, dict):
        return value[field.name] if value.keys() == {field.name} else value
    return value[0] if isinstance(value, tuple) and len(value) == 1 else value


def row_of(value: Any, names: Sequence[str]) -> Sequence[Any]:
    """The values of a dict, in order, or of a tuple or list of just so many."""
    if isinstance(value, dict):
        if value.keys() != set(names):
            raise ValueRefusedError(f"it has {', '.join(map(repr, value)) or 'nothing'}; wanted: {', '.join(names)}")
        return [value[name] for name in names]
    if isinstance(value, (tuple, list)):
        if len(value) != len(names):
            raise ValueRefusedError(f"it has {len(value)} value{'' if len(value) == 1 else 's'}; wanted: {', '.join(names)}")
        return value
    raise ValueRefusedError(f"it is no tuple or dict of {', '.join(names)}")


def conformed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """An Arrow array as a column of that type, if each value stays what it is."""
    found = array.type
    if found == kind:
        return array
    if types.is_dictionary(found):
        return conformed(array.dictionary_decode(), kind)
    if types.is_null(found):
        return array.cast(kind)
    if _family(found) != _family(kind) and (_family(found), _family(kind)) not in WIDENED:
        raise ValueRefusedError(f"it is of Arrow's type {found}")
    if types.is_timestamp(found) and bool(found.tz) != bool(kind.tz):
        raise ValueRefusedError(f"it is of Arrow's type {found}, {'with' if found.tz else 'without'} a time zone")
    result = array.cast(kind, safe=True)
    if types.is_float32(kind) and pc.any(pc.xor(pc.is_inf(result), pc.is_inf(array.cast(pa.float64())))).as_py():
        raise ValueRefusedError("a value is too large for FLOAT")
    return result


WIDENED = {("int", "float"), ("float", "int"), ("int", "decimal")}


def _family(kind: pa.DataType) -> str:
    tests: list[tuple[str, Callable[[pa.DataType], bool]]] = [
        ("int", types.is_integer), ("float", types.is_floating), ("decimal", types.is_decimal),
        ("string", lambda t: types.is_string(t) or types.is_large_string(t) or str(t) == "string_view"),
        ("binary", lambda t: types.is_binary(t) or types.is_large_binary(t) or types.is_fixed_size_binary(t)
         or str(t) == "binary_view"),
        ("list", lambda t: types.is_list(t) or types.is_large_list(t)), ("date", types.is_date),
        ("timestamp", types.is_timestamp), ("duration", types.is_duration)]
    return next((name for name, holds in tests if holds(kind)), str(kind.id))


def shown(value: Any) -> str:
    """A value in a message."""
    text = repr(value)
    return f"{text if len(text) <= LONGEST else text[:LONGEST] + '…'} ({type(value).__name__})"


def sql_of(field: pa.Field) -> str:
    """The type of a column, as the graph writes it."""
    return str((field.metadata or {}).get(SQL, str(field.type).encode()), "utf-8")


class Columns:
    """Lists of values on their way to columns: those that do not fit are found one by one."""

    def __init__(self, fields: Sequence[pa.Field]) -> None:
        self._fields = fields

    def arrays(self, lists: Sequence[Sequence[Any]]) -> tuple[list[pa.Array], dict[int, str]]:
        """The columns without the rows that do not fit, and these rows, each with the reason."""
        made: list[pa.Array] = []
        bad: dict[int, str] = {}
        for field, values in zip(self._fields, lists, strict=True):
            try:
                made.append(checked(values, field))
            except Exception:
                bad.update({k: why for k, value in enumerate(values) if (why := unfit(value, field)) and k not in bad})
        if not bad:
            if len(made) < len(lists):
                raise ValueRefusedError(f"the rows together do not fit {', '.join(f.name for f in self._fields)}")
            return made, bad
        kept = [[value for k, value in enumerate(values) if k not in bad] for values in lists]
        return [checked(values, field) for field, values in zip(self._fields, kept, strict=True)], bad


def checked(values: Sequence[Any], field: pa.Field) -> pa.Array:
    """The column, which is not NULL where it must not be."""
    array = to_array(values, field.type)
    if array.null_count and not field.nullable:
        raise ValueRefusedError("it is NOT NULL")
    return array


def unfit(value: Any, field: pa.Field) -> str | None:
    """Why a value does not fit its column; None if it does."""
    try:
        checked([value], field)
    except Exception as error:
        what = "it is NOT NULL" if value is None else f"{shown(value)} does not fit: {error}"
        return f"column `{field.name}` is {sql_of(field)}, and {what}"
    return None
