"""A Python function with state in Spark's tasks: rows sorted by key and in event order, one key after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from despina_worker.functions import Result, selected
from despina_worker.keyed import END, Keyed

if TYPE_CHECKING:
    import pyarrow as pa

NONE = object()
"""The key of no row."""
NAN = object()
"""All NaNs are one key."""


class SortedKeys:
    """The rows of a partition, batch by batch. A key whose rows may go on has its state in memory, and those of one batch."""

    def __init__(self, function: Keyed, key_columns: Sequence[str], time_column: str) -> None:
        self._function = function
        self._key_columns = key_columns
        self._time_column = time_column
        self._open: object = NONE
        """The key whose rows may go on, in slot 0."""

    def call(self, batch: pa.RecordBatch) -> Iterator[tuple[pa.RecordBatch, Result]]:
        """What the next rows give, one at least; no rows of the batch for what timers give."""
        keys = comparable([batch.column(name) for name in self._key_columns])
        starts = [k for k, (key, before) in enumerate(zip(keys, [self._open, *keys], strict=False)) if key != before]
        if starts:
            yield from self._complete(batch.slice(0, starts[-1]), starts[:-1])
            self._learn(0, batch, starts[-1:])
            batch = batch.slice(starts[-1])
        self._open = keys[-1]
        yield self._called(batch, [0] * batch.num_rows)

    def finish(self, batch: pa.RecordBatch) -> Iterator[tuple[pa.RecordBatch, Result]]:
        """The partition has no more rows. ``batch``: any of it."""
        yield from self._complete(batch.slice(0, 0), [])
        self._function.close()

    def _complete(self, batch: pa.RecordBatch, starts: list[int]) -> Iterator[tuple[pa.RecordBatch, Result]]:
        """Rows of keys that have no more, and their timers and ends. ``starts``: where each but the open one begins."""
        if batch.num_rows:
            known = int(self._open is not NONE)
            self._learn(known, batch, starts)
            begins = set(starts)
            slots = list(accumulate((k in begins for k in range(batch.num_rows)), initial=known - 1))
            yield self._called(batch, slots[1:])
        if self._function.timer is not None:
            result, _ = self._function.timers(END)
            if self._function.never_called:
                raise RuntimeError(f"{self._function.spec.function}: `timer` has set the next one behind the last row of its "
                                   "key: how often it is called there depends on the rows of other keys, and Spark has one key "
                                   "after the other")
            yield batch.slice(0, 0), result
        if self._function.end is not None:
            yield batch.slice(0, 0), self._function.ends(self._function.kept())[0]

    def _learn(self, first: int, batch: pa.RecordBatch, rows: list[int]) -> None:
        """Has the keys of these rows in slots from ``first`` on, without a state."""
        import pyarrow as pa
        keys, state = self._function.spec.keys, self._function.spec.state
        assert keys is not None
        named = batch.select(self._key_columns).take(pa.array(rows, pa.int64())).rename_columns(keys.names).cast(keys)
        self._function.learn(first, named, pa.RecordBatch.from_pylist([{}] * len(rows), state))

    def _called(self, batch: pa.RecordBatch, slots: list[int]) -> tuple[pa.RecordBatch, Result]:
        import pyarrow as pa
        times = [] if self._function.timer is None else batch.column(self._time_column).view(pa.int64()).to_pylist()
        return batch, self._function.call(selected(batch, self._function), slots, times, alone=True)[0]


def comparable(columns: Sequence[pa.Array]) -> list[Any]:
    """Of each row a value that is equal for equal keys: NULL is one, and so is NaN."""
    lists = [_values(column) for column in columns]
    return lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))


def _values(column: pa.Array) -> list[Any]:
    import pyarrow as pa
    kind = column.type
    if plain := _numbers(kind):
        column = column.cast(plain)
    values = list(column.to_pylist())
    return [_plain(value) for value in values] if pa.types.is_floating(kind) or pa.types.is_nested(kind) else values


def _numbers(kind: pa.DataType) -> pa.DataType | None:
    """The type with numbers in place of times, of which Python does not have all; None if it has none."""
    import pyarrow as pa
    types = pa.types
    if types.is_temporal(kind):
        return pa.int32() if kind.bit_width == 32 else pa.int64()
    if types.is_list(kind):
        inner = _numbers(kind.value_type)
        return inner and pa.list_(inner)
    if types.is_struct(kind):
        fields = {field.name: _numbers(field.type) for field in kind}
        return pa.struct([(field.name, fields[field.name] or field.type) for field in kind]) if any(fields.values()) else None
    return None


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if value == value else NAN
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value
