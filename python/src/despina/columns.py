"""The columns of a source, and what Python gives for them: held against each other by name, and cast where nothing is lost."""

from __future__ import annotations

import datetime
import decimal
import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from despina.errors import RefusedError

if TYPE_CHECKING:
    import pyarrow

SQL = {"bool": "BOOLEAN", "int8": "TINYINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT", "float": "FLOAT",
       "double": "DOUBLE", "string": "STRING", "binary": "BINARY", "date32[day]": "DATE", "timestamp[us]": "TIMESTAMP_NTZ"}
SAME = ({"string", "large_string", "string_view"}, {"binary", "large_binary", "binary_view"}, {"date32[day]", "date64[ms]"})
"""Types that hold the same values."""
DIGITS = 20
"""Of the largest integer."""
SHOWN = 60
"""Characters of a value in an error."""


def refused(message: str, hint: str = "") -> RefusedError:
    """An input that does not fit."""
    return RefusedError("input", message, hint)


def is_table(given: object) -> bool:
    """Whether it is rows with a schema of their own."""
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__") or _is_pandas(given)


def _is_pandas(given: object) -> bool:
    return type(given).__module__.partition(".")[0] == "pandas" and hasattr(given, "columns")


def as_table(given: Any) -> pyarrow.Table:
    """The same rows as an Arrow table; a pandas frame without its index; a DataFrame of Spark's whole, through its driver.

    :raise RefusedError: it is no table, or a column of it holds values of several types
    """
    import pyarrow
    if hasattr(given, "toArrow"):       # its own stream of Arrow would start workers of Python
        return given.toArrow()
    try:
        if _is_pandas(given):
            return pyarrow.Table.from_pandas(given, preserve_index=False)
        return pyarrow.Table.from_batches([given]) if isinstance(given, pyarrow.RecordBatch) else pyarrow.table(given)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise refused(f"{type(given).__name__} is not a table: {error}") from error


class Columns:
    """The schema of a source, and what fits it."""

    def __init__(self, schema: pyarrow.Schema) -> None:
        self.schema = schema
        self._names = dict.fromkeys(schema.names)

    @classmethod
    def of_stream(cls, stream: bytes) -> Columns:
        """Of an Arrow IPC stream without a row, as the engine has it."""
        import pyarrow
        with pyarrow.ipc.open_stream(stream) as reader:
            return cls(reader.schema)

    def fit(self, schema: pyarrow.Schema, of: str = "") -> None:
        """Holds the schema of a table against this one.

        :param of: what errors begin with
        :raise RefusedError: columns are missing, too many, or of types that this schema's can never hold
        """
        twice = next((name for k, name in enumerate(schema.names) if name in schema.names[:k]), None)
        if twice is not None:
            raise refused(f"{of}two columns are called {twice}")
        self._fit_names(schema.names, of)
        for field in self.schema:
            if field.name in schema.names:
                given = _plain(schema.field(field.name).type)
                if not fits(_zoned(given, field.type), field.type):
                    raise refused(f"{of}column {field.name} is {sql(field.type)}, and the rows have {sql(given)}",
                                  _hint(field.type))

    def _fit_names(self, names: Iterable[str], of: str = "") -> None:
        given = dict.fromkeys(names)
        for name in given:
            if name not in self._names:
                close = difflib.get_close_matches(str(name), self._names, 1)
                missing = [own for own in self._names if own not in given]
                hint = f"did you mean {close[0]}?" if close and close[0] in missing else f"there are {', '.join(self._names)}"
                raise refused(f"{of}the source has no column {name}", hint)
        for field in self.schema:
            if field.name not in given and not field.nullable:
                raise refused(f"{of}the rows have no column {field.name}, which is NOT NULL")

    def batches(self, pieces: Iterable[Any]) -> Iterator[pyarrow.RecordBatch]:
        """Tables, lists of rows and rows as batches of this schema, in order; rows that stand together in one batch.

        :raise RefusedError: one does not fit; those before it were given
        """
        rows: list[Any] = []
        for piece in pieces:
            if not is_table(piece):
                rows += _rows(piece)
                continue
            if rows:
                yield self._of_rows(rows)
                rows = []
            table = as_table(piece)
            self.fit(table.schema)
            for batch in table.to_batches():
                yield self._batch([batch.column(field.name) if field.name in table.schema.names else None
                                   for field in self.schema], batch.num_rows)
        if rows:
            yield self._of_rows(rows)

    def _of_rows(self, rows: Sequence[Any]) -> pyarrow.RecordBatch:
        for row in rows:
            if isinstance(row, Mapping):
                if row.keys() != self._names.keys():
                    self._fit_names(row)
            elif len(row) != len(self._names):
                raise refused(f"a tuple of {len(row)} values for {len(self._names)} columns: {_shown(row)}",
                              f"in order: {', '.join(self._names)}")
        columns = []
        for k, field in enumerate(self.schema):
            values = [row.get(field.name) if isinstance(row, Mapping) else row[k] for row in rows]
            columns.append(_array(values, field))
        return self._batch(columns, len(rows))

    def _batch(self, columns: Sequence[Any], rows: int) -> pyarrow.RecordBatch:
        import pyarrow
        cast = [pyarrow.nulls(rows, field.type) if column is None else _cast(column, field)
                for field, column in zip(self.schema, columns, strict=True)]
        for field, column in zip(self.schema, cast, strict=True):
            if _lacks(column, field):
                raise refused(f"column {field.name} is NOT NULL, and a row has no value for it")
        return pyarrow.RecordBatch.from_arrays(cast, schema=self.schema)


def _rows(piece: Any) -> list[Any]:
    """One row, or a list of rows; a named tuple goes by its names."""
    if isinstance(piece, (Mapping, tuple)):
        return [piece._asdict() if hasattr(piece, "_asdict") else piece]
    wrong = piece if not isinstance(piece, list) else next((row for row in piece if not isinstance(row, (Mapping, tuple))), None)
    if wrong is not None or not isinstance(piece, list):
        raise refused(f"{_shown(wrong)}, of type {type(wrong).__name__}, is not a row",
                      "a row is a dict by column names, or a tuple in the schema's order")
    return [row._asdict() if hasattr(row, "_asdict") else row for row in piece]


def sql(kind: Any) -> str:
    """A type as a schema has it, where it has one."""
    name = str(kind)
    if name.startswith("timestamp[us, tz="):
        return "TIMESTAMP"
    return name.replace("decimal128", "DECIMAL").replace(" ", "") if name.startswith("decimal128") else SQL.get(name, name)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _hint(kind: Any) -> str:
    from pyarrow import types
    return "datetime.fromisoformat, or pandas.to_datetime, makes times of texts" if types.is_timestamp(kind) else ""


def _plain(kind: Any) -> Any:
    from pyarrow import types
    return kind.value_type if types.is_dictionary(kind) else kind


def _zoned(kind: Any, wanted: Any) -> Any:
    """The type that a time without a zone gets where one with a zone is wanted."""
    import pyarrow
    from pyarrow import types
    naive = types.is_timestamp(kind) and kind.tz is None and types.is_timestamp(wanted) and wanted.tz is not None
    return pyarrow.timestamp(kind.unit, wanted.tz) if naive else kind


def fits(given: Any, wanted: Any) -> bool:
    """Whether values of a type may be cast to another at all; each value still has to keep what it is."""
    from pyarrow import types
    if given == wanted or types.is_null(given):
        return True
    if _is_number(given) and _is_number(wanted):
        return True
    if types.is_timestamp(given) and types.is_timestamp(wanted):
        return (given.tz is None) == (wanted.tz is None)
    if _is_list(given) and _is_list(wanted):
        return fits(given.value_type, wanted.value_type)
    if types.is_map(given) and types.is_map(wanted):
        return fits(given.key_type, wanted.key_type) and fits(given.item_type, wanted.item_type)
    if types.is_struct(given) and types.is_struct(wanted):
        ours = {wanted.field(k).name: wanted.field(k).type for k in range(wanted.num_fields)}
        return all(field.name in ours and fits(field.type, ours[field.name])
                   for field in (given.field(k) for k in range(given.num_fields)))
    same = any({str(given), str(wanted)} <= family for family in SAME)
    return same or bool(types.is_duration(given) and types.is_duration(wanted))


def _is_number(kind: Any) -> bool:
    from pyarrow import types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _is_list(kind: Any) -> bool:
    from pyarrow import types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _array(values: list[Any], field: Any) -> Any:
    """Python's values as an Arrow array of the field's type.

    :raise RefusedError: the first value that has no place in it
    """
    import pyarrow
    from pyarrow import types
    zoned = {value.tzinfo is not None for value in values if isinstance(value, datetime.datetime)}
    try:
        if len(zoned) > 1:
            raise ValueError("times with a zone and times without one")     # Arrow would take the latter for UTC
        if types.is_map(field.type):
            return pyarrow.array([list(v.items()) if isinstance(v, Mapping) else v for v in values], field.type)
        return pyarrow.array(values)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        if len(values) == 1 or types.is_map(field.type):
            raise _bad(field, values[0] if len(values) == 1 else values) from error
    return pyarrow.concat_arrays([_cast(_array([value], field), field) for value in values])    # of several types


def _cast(column: Any, field: Any) -> Any:
    """The column in the field's type.

    :raise RefusedError: the first value that would lose something
    """
    import pyarrow
    from pyarrow import compute, types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    zoned = _zoned(column.type, field.type)
    try:
        if zoned != column.type:
            column = compute.assume_timezone(column, zoned.tz, ambiguous="earliest")
        if not fits(column.type, field.type):
            raise pyarrow.ArrowInvalid("no cast keeps it")
        if types.is_integer(column.type) and types.is_decimal(field.type):
            column = column.cast(pyarrow.decimal128(DIGITS, 0))     # else Arrow asks for room for any integer
        cast = column.cast(field.type)
        if not _is_same(column, cast):
            raise pyarrow.ArrowInvalid("the cast changes it")
        return cast
    except pyarrow.ArrowException as error:
        present = column.drop_null()
        if len(present) <= 1:
            raise _bad(field, present[0].as_py() if len(present) else None) from error
        for k in range(len(present)):
            _cast(present[k:k + 1], field)
        raise _bad(field, present[0].as_py()) from error


def _is_same(column: Any, cast: Any) -> bool:
    """Whether numbers kept their values where Arrow's own safe cast does not look."""
    from pyarrow import compute, types
    may_round = types.is_floating(cast.type) or types.is_decimal(cast.type)
    if column.type == cast.type or not may_round or types.is_null(column.type):
        return True
    back = cast.cast(column.type, safe=False)
    same = compute.equal(back, column)
    if types.is_floating(column.type):
        same = compute.or_(same, compute.and_(compute.is_nan(back), compute.is_nan(column)))
    return compute.all(same, min_count=0).as_py() is not False


def _bad(field: Any, value: object) -> RefusedError:
    loss = " without loss" if isinstance(value, (int, float, decimal.Decimal)) and _is_number(field.type) else ""
    return refused(f"column {field.name} is {sql(field.type)}, which cannot hold {_shown(value)}{loss}", _hint(field.type))


def _lacks(column: Any, field: Any) -> bool:
    """Whether there is a NULL where none may be, inside of lists and structs too."""
    from pyarrow import types
    if column.null_count:
        if not field.nullable:
            return True
        column = column.drop_null()
    if types.is_list(field.type):
        return _lacks(column.flatten(), field.type.value_field)
    if types.is_struct(field.type):
        return any(_lacks(part, field.type.field(k)) for k, part in enumerate(column.flatten()))
    return False
