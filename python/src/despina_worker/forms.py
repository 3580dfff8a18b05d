"""The forms in which a function may take a batch: Arrow, numpy, pandas, polars."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from despina_worker.errors import RefusedError, ValueRefusedError
from despina_worker.values import conformed, sql_of, to_array


class Form(Protocol):
    """One of them. ``one``: what a column is, in words."""

    one: str

    def call(self, user: Callable[..., Any], batch: pa.RecordBatch) -> Any:
        """Calls the function with a batch in this form."""
        ...

    def batches(self, returned: Any, schema: pa.Schema) -> list[pa.RecordBatch]:
        """What it returned, as batches of that schema."""
        ...


class Arrow:
    """``pyarrow.RecordBatch`` in; a batch, a table, an array for one column, a tuple or dict of arrays out."""

    one = "a pyarrow.Array"

    def call(self, user: Callable[..., Any], batch: pa.RecordBatch) -> Any:
        """See ``Form``."""
        return user(batch)

    def batches(self, returned: Any, schema: pa.Schema) -> list[pa.RecordBatch]:
        """See ``Form``."""
        if isinstance(returned, (pa.Table, pa.RecordBatch)):
            returned = {name: returned.column(name) for name in _same(returned.schema.names, schema)}
        return [_batch(returned, schema, self._array, self.one)]

    def _array(self, value: Any, kind: pa.DataType) -> pa.Array:
        if isinstance(value, pa.ChunkedArray):
            value = value.combine_chunks()
        if not isinstance(value, pa.Array):
            raise ValueRefusedError(f"it is {type(value).__name__}, and must be {self.one}")
        return conformed(value, kind)


class Numpy:
    """An array for each parameter (masked where a column has NULL); an array, or a tuple or dict of arrays, out."""

    one = "a numpy array"

    def __init__(self) -> None:
        self._numpy = _module("numpy")

    def call(self, user: Callable[..., Any], batch: pa.RecordBatch) -> Any:
        """See ``Form``."""
        try:
            return user(*map(self._given, batch.columns))
        except ValueError as error:
            if "read-only" in str(error):
                error.args = (f"{error}: copy what the function gets before it changes that, as `a = a.copy()`",)
            raise

    def _given(self, column: pa.Array) -> Any:
        kind = column.type
        plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        time = pa.types.is_timestamp(kind) or pa.types.is_duration(kind)
        if column.null_count == 0 or not (plain or time):
            return column.to_numpy(zero_copy_only=False)
        mask = column.is_null().to_numpy(zero_copy_only=False)
        zero = pa.scalar(0, pa.int64()).cast(kind) if time else pa.scalar(0, pa.int8()).cast(kind)
        return self._numpy.ma.MaskedArray(column.fill_null(zero).to_numpy(zero_copy_only=False), mask)

    def batches(self, returned: Any, schema: pa.Schema) -> list[pa.RecordBatch]:
        """See ``Form``."""
        return [_batch(returned, schema, self._array, self.one)]

    def _array(self, value: Any, kind: pa.DataType) -> pa.Array:
        if not isinstance(value, self._numpy.ndarray) or value.ndim != 1:
            what = f"an array of {value.ndim} dimensions" if isinstance(value, self._numpy.ndarray) else type(value).__name__
            raise ValueRefusedError(f"it is {what}, and must be {self.one} of one dimension")
        mask = self._numpy.ma.getmaskarray(value) if isinstance(value, self._numpy.ma.MaskedArray) else None
        plain = self._numpy.asarray(value)
        if plain.dtype == object:
            return to_array([None if mask is not None and mask[k] else each for k, each in enumerate(plain)], kind)
        array = pa.array(plain, mask=mask)
        if pa.types.is_timestamp(array.type) and pa.types.is_timestamp(kind):
            array = array.cast(pa.timestamp("us")).view(pa.int64()).view(kind)      # numpy's times have no zone: UTC
        return conformed(array, kind)


class Pandas:
    """A ``DataFrame`` with Arrow-typed columns in; a ``Series`` for one column, or a ``DataFrame``, out."""

    one = "a pandas Series"

    def __init__(self) -> None:
        self._pandas = _module("pandas")

    def call(self, user: Callable[..., Any], batch: pa.RecordBatch) -> Any:
        """See ``Form``."""
        return user(batch.to_pandas(types_mapper=self._pandas.ArrowDtype))

    def batches(self, returned: Any, schema: pa.Schema) -> list[pa.RecordBatch]:
        """See ``Form``."""
        if isinstance(returned, self._pandas.DataFrame):
            returned = {name: returned[name] for name in _same(list(returned.columns), schema)}
        return [_batch(returned, schema, self._array, self.one)]

    def _array(self, value: Any, kind: pa.DataType) -> pa.Array:
        if not isinstance(value, self._pandas.Series):
            raise ValueRefusedError(f"it is {type(value).__name__}, and must be {self.one}")
        array = pa.array(value, from_pandas=not isinstance(value.dtype, self._pandas.ArrowDtype))
        return conformed(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array, kind)


class Polars:
    """A ``polars.DataFrame`` in; a ``Series`` for one column, or a ``DataFrame``, out."""

    one = "a polars Series"

    def __init__(self) -> None:
        self._polars = _module("polars")

    def call(self, user: Callable[..., Any], batch: pa.RecordBatch) -> Any:
        """See ``Form``."""
        return user(self._polars.from_arrow(batch))

    def batches(self, returned: Any, schema: pa.Schema) -> list[pa.RecordBatch]:
        """See ``Form``."""
        if isinstance(returned, self._polars.DataFrame):
            returned = {name: returned[name] for name in _same(returned.columns, schema)}
        return [_batch(returned, schema, self._array, self.one)]

    def _array(self, value: Any, kind: pa.DataType) -> pa.Array:
        if not isinstance(value, self._polars.Series):
            raise ValueRefusedError(f"it is {type(value).__name__}, and must be {self.one}")
        return conformed(value.to_arrow(), kind)


PLAIN = (int, float, str, bytes, type(None))
"""Values that are no columns."""
FORMS: dict[str, Callable[[], Form]] = {"arrow": Arrow, "numpy": Numpy, "pandas": Pandas, "polars": Polars}


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise RefusedError(f"it takes {name}, which is not installed for this Python: {error}") from error


def _same(names: Sequence[str], schema: pa.Schema) -> list[str]:
    """The names, if they are just those of the schema."""
    if set(names) != set(schema.names):
        raise ValueRefusedError(f"it returned the columns {', '.join(map(str, names))}; wanted: {', '.join(schema.names)}")
    return list(schema.names)


def _batch(returned: Any, schema: pa.Schema, array: Callable[[Any, pa.DataType], pa.Array], one: str) -> pa.RecordBatch:
    """:param one: what a column is, in words"""
    if isinstance(returned, list) and any(isinstance(each, PLAIN) for each in returned):
        raise ValueRefusedError(f"it returned a list of values: with batches a column is {one}")
    if isinstance(returned, Mapping):
        values = [returned[name] for name in _same(list(returned), schema)]
    else:
        values = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if len(values) != len(schema):
        raise ValueRefusedError(f"it returned {len(values)} columns; wanted: {', '.join(schema.names)}")
    arrays = []
    for value, field in zip(values, schema, strict=True):
        try:
            made = array(value, field.type)
        except (ValueRefusedError, pa.ArrowException) as error:
            raise ValueRefusedError(f"column `{field.name}` is {sql_of(field)}, and what was returned does not fit: {error}"
                                    ) from error
        if made.null_count and not field.nullable:
            raise ValueRefusedError(f"column `{field.name}` is NOT NULL, and has NULL")
        arrays.append(made)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
