"""The columns of a source, and what Python gives for them: held against each other by name, and cast where nothing is lost."""

from __future__ import annotations

import datetime
import decimal
import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from despina.errors import RefusedError
from despina.zones import in_zone

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
    """The schema of a source, and what fits it. Names compare without case, as in Spark."""

    def __init__(self, schema: pyarrow.Schema, defaults: Mapping[str, pyarrow.Scalar[Any]] | None = None) -> None:
        """:param defaults: what a column is of which rows have none; a column that is not named here must be there"""
        self.schema = schema
        self._defaults = defaults or {}
        self._names = dict.fromkeys(schema.names)
        self._own = {name.lower(): name for name in schema.names}

    @classmethod
    def of_stream(cls, stream: bytes, defaults: bytes = b"") -> Columns:
        """Of Arrow IPC streams, as the engine has them: one without a row, and one with a row of defaults, if there are any."""
        import pyarrow
        with pyarrow.ipc.open_stream(stream) as reader:
            schema = reader.schema
        if not defaults:
            return cls(schema)
        with pyarrow.ipc.open_stream(defaults) as reader:
            row = reader.read_all()
        return cls(schema, {name: row.column(name)[0] for name in row.column_names})

    def fit(self, schema: pyarrow.Schema, of: str = "") -> None:
        """Holds the schema of a table against this one.

        :param of: what errors begin with
        :raise RefusedError: columns are missing, too many, or of types that this schema's can never hold
        """
        places = self._places(schema.names, of)
        for field in self.schema:
            if field.name in places:
                given = _plain(schema.field(places[field.name]).type)
                if not fits(_zoned(given, field.type), field.type):
                    raise refused(f"{of}column {field.name} is {sql(field.type)}, and the rows have {sql(given)}",
                                  _hint(field.type))

    def _places(self, names: Sequence[str], of: str = "") -> dict[str, int]:
        """Where each column of the schema is among the given ones; those that have a default may be missing."""
        places: dict[str, int] = {}
        for k, name in enumerate(names):
            own = self._own.get(str(name).lower())
            if own is None:
                raise self._unknown(name, names, of)
            if own in places:
                raise refused(f"{of}two columns are called {name}")
            places[own] = k
        missing = [field for field in self.schema if field.name not in places and field.name not in self._defaults]
        if missing:
            defaults = ", ".join(f"{field.name} {sql(field.type)} DEFAULT {'NULL' if field.nullable else '…'}"
                                 for field in missing)
            raise refused(f"{of}the rows have no column {', '.join(field.name for field in missing)}",
                          f"add it, with None where there is no value; or write in the source's schema: {defaults}")
        return places

    def _unknown(self, name: str, names: Sequence[str], of: str) -> RefusedError:
        given = {str(one).lower() for one in names}
        missing = [own for lower, own in self._own.items() if lower not in given]
        close = difflib.get_close_matches(str(name), missing, 1)
        return refused(f"{of}the source has no column {name}",
                       f"did you mean {close[0]}?" if close else f"there are {', '.join(self._names)}")

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
            places = self._places(table.schema.names)
            for batch in table.to_batches():
                yield self._batch([batch.column(places[name]) if name in places else None for name in self._names],
                                  batch.num_rows)
        if rows:
            yield self._of_rows(rows)

    def _of_rows(self, rows: Sequence[Any]) -> pyarrow.RecordBatch:
        whole = [self._whole(row) for row in rows]
        columns = []
        for k, field in enumerate(self.schema):
            values = [row[field.name] if isinstance(row, Mapping) else row[k] for row in whole]
            columns.append(_array(values, field))
        return self._batch(columns, len(rows))

    def _whole(self, row: Any) -> Any:
        """The row with the schema's names, and with the defaults of what it leaves out."""
        if not isinstance(row, Mapping):
            if len(row) != len(self._names):
                raise refused(f"a tuple of {len(row)} values for {len(self._names)} columns: {_shown(row)}",
                              f"in order: {', '.join(self._names)}")
            return row
        if row.keys() == self._names.keys():
            return row
        names = list(row)
        places = self._places(names)
        return {name: row[names[places[name]]] if name in places else self._defaults[name].as_py() for name in self._names}

    def _batch(self, columns: Sequence[Any], rows: int) -> pyarrow.RecordBatch:
        import pyarrow
        cast = [pyarrow.repeat(self._defaults[field.name], rows) if column is None else _cast(column, field)
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


def _hint(kind: Any, given: Any = None) -> str:
    """What to do about values of a type, or of no type known, where a column has another."""
    from pyarrow import types
    if not types.is_timestamp(kind):
        return ""
    if given is not None and types.is_timestamp(given):
        if given.tz is None and kind.tz is not None:
            return f"the clocks of {kind.tz} skip it; give it a zone of its own"
        return "a time counts microseconds: .dt.floor(\"us\") of pandas cuts off nanoseconds"
    return "datetime.fromisoformat, or pandas.to_datetime, makes times of texts"


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
    if is_number(given) and is_number(wanted):
        return True
    if types.is_timestamp(given) and types.is_timestamp(wanted):
        return (given.tz is None) == (wanted.tz is None)
    if _is_list(given) and _is_list(wanted):
        return fits(given.value_type, wanted.value_type)
    if types.is_map(given) and types.is_map(wanted):
        return fits(given.key_type, wanted.key_type) and fits(given.item_type, wanted.item_type)
    if types.is_struct(given) and types.is_struct(wanted):
        ours = {wanted.field(k).name: wanted.field(k).type for k in range(wanted.num_fields)}
        theirs = {given.field(k).name: given.field(k).type for k in range(given.num_fields)}
        return ours.keys() == theirs.keys() and all(fits(theirs[name], kind) for name, kind in ours.items())
    same = any({str(given), str(wanted)} <= family for family in SAME)
    return same or bool(types.is_duration(given) and types.is_duration(wanted))


def is_number(kind: Any) -> bool:
    """Whether values of the Arrow type are numbers."""
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
    times = [value for value in values if isinstance(value, datetime.datetime)]
    zoned = {value.tzinfo is not None for value in times}
    try:
        if any(getattr(value, "nanosecond", 0) for value in times):     # pandas' own; Arrow would cut them off
            return pyarrow.array(values, pyarrow.timestamp("ns"))
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
    from pyarrow import types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_float16(column.type):
        column = column.cast(pyarrow.float32())     # of which Arrow knows more casts, and comparisons
    zoned = _zoned(column.type, field.type)
    try:
        if zoned != column.type:
            column = in_zone(column, zoned.tz)
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
            raise _bad(field, _value(present[0]) if len(present) else None, present.type) from error
        for k in range(len(present)):
            _cast(present[k:k + 1], field)
        raise _bad(field, _value(present[0]), present.type) from error


def _value(scalar: Any) -> object:
    try:
        return scalar.as_py()
    except ValueError:      # nanoseconds, where pandas is not installed
        return str(scalar)


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


def _bad(field: Any, value: object, given: Any = None) -> RefusedError:
    loss = " without loss" if isinstance(value, (int, float, decimal.Decimal)) and is_number(field.type) else ""
    return refused(f"column {field.name} is {sql(field.type)}, which cannot hold {_shown(value)}{loss}", _hint(field.type, given))


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
