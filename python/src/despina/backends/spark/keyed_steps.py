"""A Python function with state in Spark's streams: rows wait for the watermark in a state of Spark's, beside those of their keys.

Spark groups the rows by a hash of their keys, and calls ``KeyedSteps`` for each group that has rows, or whose time has come.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from despina.backends.spark import streams
from despina.backends.spark.keyed_rows import NAN, comparable
from despina.backends.spark.python_calls import TIME, Kept, Wanted
from despina.backends.spark.times import event_time
from despina.backends.spark.user_functions import arrow
from despina_worker.functions import selected

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Row

    from despina.backends.spark.plan import Operator
    from despina_worker.keyed import Keyed

NEEDED = ("google.protobuf",)
"""What Spark's own API of states imports in its workers."""
BATCH_ROWS = 10_000
GROUP, ROW, ROWS = "_despina_group", "_despina_row", "_despina_rows"
NONE = (1 << 63) - 1
"""No moment."""
MICROS_PER_MS = 1000


def stepped(operator: Operator, frame: DataFrame, wanted: Wanted, kept: Kept) -> DataFrame:
    """What the function gives for rows that have columns for their keys and their event time."""
    from pyspark.sql.types import StructType

    columns = frame.schema
    schema = StructType.fromDDL(operator.outputs["out"].schema)
    # Equal keys have one hash, and those that share one share a state. Each operator has a hash of its own: see `streamed`.
    group = f"hash(struct({', '.join(kept.columns)}), '{operator.id}') AS {GROUP}"
    packed = frame.selectExpr("*", group).mapInArrow(_packing(arrow(columns)),
                                                      f"{GROUP} INT, {TIME} TIMESTAMP, {ROW} BINARY")
    timed = streams.marked(packed, replace(event_time(operator, "in"), column=TIME))
    processor = KeyedSteps(wanted, kept, arrow(columns))
    given = timed.groupBy(GROUP).transformWithState(processor, f"{ROWS} BINARY", "Append", "EventTime")
    return cast("DataFrame", given.mapInArrow(_unpacking(arrow(schema)), schema))


def _packing(columns: pa.Schema) -> Any:
    """A row as one value: Spark hands rows to a processor with Python's values, and not all that a column may hold is one."""
    def packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        for batch in batches:
            whole = batch.select(columns.names).cast(columns)
            rows = pa.array([bytes(whole.slice(k, 1).serialize()) for k in range(whole.num_rows)], pa.binary())
            yield pa.RecordBatch.from_arrays([batch.column(GROUP), batch.column(TIME), rows], names=[GROUP, TIME, ROW])
    return packed


def _unpacking(columns: pa.Schema) -> Any:
    def unpacked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        for batch in batches:
            for rows in batch.column(ROWS):
                yield pa.ipc.read_record_batch(rows.as_buffer(), columns)
    return unpacked


@dataclass(frozen=True)
class Left:
    """What a step leaves of a group: rows that wait for the watermark, keys with their states, and the moment, in milliseconds,
    at which Spark was told to call.
    """

    rows: pa.RecordBatch
    keys: pa.RecordBatch
    states: pa.RecordBatch
    due: int


@dataclass(frozen=True)
class LeftForm:
    """Its bytes: ``digest of the columns (8) · due (8) · (length (4) · batch) three times``, little-endian."""

    rows: pa.Schema
    keys: pa.Schema
    states: pa.Schema
    operator: str

    def written(self, left: Left) -> bytes:
        """These bytes."""
        parts = [bytes(batch.serialize()) for batch in (left.rows, left.keys, left.states)]
        return self._digest() + struct.pack("<q", left.due) + b"".join(struct.pack("<i", len(part)) + part for part in parts)

    def read(self, written: bytes | None) -> Left:
        """What is left; at first nothing is.

        :raise RuntimeError: an operator with other columns has left it
        """
        import pyarrow as pa
        if written is None:
            rows, keys, states = (pa.RecordBatch.from_pylist([], schema) for schema in (self.rows, self.keys, self.states))
            return Left(rows, keys, states, NONE)
        if written[:8] != self._digest():
            raise RuntimeError(f"operator {self.operator}: the query's checkpoint has rows or states of other columns: begin "
                               "with a new checkpoint, or run the graph that left it")
        batches, at = [], 16
        for schema in (self.rows, self.keys, self.states):
            (length,) = struct.unpack_from("<i", written, at)
            batches.append(pa.ipc.read_record_batch(pa.py_buffer(written[at + 4:at + 4 + length]), schema))
            at += 4 + length
        rows, keys, states = batches
        return Left(rows, keys, states, struct.unpack_from("<q", written, 8)[0])

    def _digest(self) -> bytes:
        told = "\n\n".join(schema.to_string(show_field_metadata=False) for schema in (self.rows, self.keys, self.states))
        return hashlib.sha256(told.encode()).digest()[:8]


class KeyedSteps:
    """A ``StatefulProcessor`` of Spark's by its methods, made anew for each micro-batch and partition. A group makes a step when
    rows of it come, and when the watermark reaches the moment that its last step has named.
    """

    def __init__(self, wanted: Wanted, kept: Kept, columns: pa.Schema) -> None:
        self._wanted = wanted
        self._kept = kept
        self._form = LeftForm(columns, kept.keys, kept.state, wanted.function.id)
        self._function: Keyed | None = None
        self._handle: Any = None
        self._state: Any = None

    def init(self, handle: Any) -> None:
        """Before all steps. Spark calls it on the driver too, where none follows."""
        self._handle = handle
        self._state = handle.getValueState("left", "left BINARY")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803 (Spark's)
        """A step with rows of a group."""
        return self._step([getattr(row, ROW) for row in rows], timerValues.getCurrentWatermarkInMs(), None)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:  # noqa: N802, N803
        """A step of a group whose moment has come."""
        return self._step([], timerValues.getCurrentWatermarkInMs(), expiredTimerInfo.getExpiryTimeInMs())

    def close(self) -> None:
        """No steps follow."""
        if self._function is not None:
            self._function.close()

    def _step(self, arrived: Sequence[bytes], watermark: int, expired: int | None) -> Iterator[Row]:
        """``expired``: the moment that Spark calls for, which it forgets itself."""
        import pyarrow as pa
        from pyspark.sql import Row as Made
        function = self._function = self._function or self._opened()
        kept = self._state.get()
        left = self._form.read(kept and kept[0])
        came = [pa.ipc.read_record_batch(pa.py_buffer(row), self._form.rows) for row in arrived]
        rows = _one([left.rows, *came], self._form.rows)
        times = _micros(rows.column(TIME))
        until = watermark * MICROS_PER_MS
        ready = [k for k, time in enumerate(times) if time <= until]
        keys = _Keys(function, left, self._kept)
        for part in self._parts(rows, ready):
            slots = keys.slots(part)
            result, _ = function.call(selected(part, function), slots, _micros(part.column(TIME)) if function.timer else ())
            yield from _made(self._wanted.rows(part, result), Made)
        if function.timer is not None:
            result, _ = function.timers(until)
            yield from _made(self._wanted.rows(rows.slice(0, 0), result), Made)
        later = rows.take(pa.array([k for k, time in enumerate(times) if time > until], pa.int64())) if ready else rows
        self._keep(keys.left(later), left.due, expired, kept is not None)

    def _opened(self) -> Keyed:
        function = self._wanted.opened_by_key(self._kept)
        if function.end is not None:
            raise RuntimeError(f"{self._wanted.function.name} (operator {self._wanted.function.id}) has `end`, and a stream on "
                               "Spark has none: run it there as a batch, or on the engine")
        return function

    def _parts(self, rows: pa.RecordBatch, ready: list[int]) -> Iterator[pa.RecordBatch]:
        """The rows that are ready, in event order, some at a time."""
        import pyarrow as pa
        if not ready:
            return
        found = rows.take(pa.array(ready, pa.int64()))
        order = [orderable(value) for value in comparable([found.column(name) for name in self._kept.order])]
        sorted_rows = found.take(pa.array(sorted(range(len(ready)), key=order.__getitem__), pa.int64()))
        for at in range(0, len(ready), BATCH_ROWS):
            yield sorted_rows.slice(at, BATCH_ROWS)

    def _keep(self, left: Left, before: int, expired: int | None, there: bool) -> None:
        """``before``: the moment at which Spark was to call; ``there``: whether the group has a state."""
        if left.rows.num_rows or left.keys.num_rows:
            self._state.update((self._form.written(left),))
        elif there:
            self._state.clear()
        if left.due != before:
            if before not in (NONE, expired):
                self._handle.deleteTimer(before)
            if left.due != NONE:
                self._handle.registerTimer(left.due)


class _Keys:
    """The keys of a group in the slots of the function."""

    def __init__(self, function: Keyed, left: Left, kept: Kept) -> None:
        self._function = function
        self._kept = kept
        self._batches = [left.keys]
        self._known = comparable(left.keys.columns) if left.keys.num_rows else []
        function.learn(0, left.keys, left.states)

    def slots(self, rows: pa.RecordBatch) -> list[int]:
        """The slot of each row's key; new ones have no state."""
        import pyarrow as pa
        found, fresh = [], []
        named = rows.select(self._kept.columns).rename_columns(self._kept.keys.names).cast(self._kept.keys)
        first = len(self._known)
        for k, key in enumerate(comparable(named.columns)):
            if key not in self._known:
                self._known.append(key)
                fresh.append(k)
            found.append(self._known.index(key))
        if fresh:
            self._batches.append(named.take(pa.array(fresh, pa.int64())))
            self._function.learn(first, self._batches[-1], pa.RecordBatch.from_pylist([{}] * len(fresh), self._kept.state))
        return found

    def left(self, rows: pa.RecordBatch) -> Left:
        """What is left of the group, and the next moment at which something of it is due."""
        import pyarrow as pa
        slots = self._function.kept()
        states = self._function.states(slots)
        keys = _one(self._batches, self._kept.keys).take(pa.array(slots, pa.int64()))
        # a class that has no `timer` any more may have keys with timers of the one before it, which nobody calls
        timers = _micros(states.column(states.num_columns - 1)) if self._function.timer is not None else []
        due = min([*_micros(rows.column(TIME)), *(time for time in timers if time is not None)], default=None)
        return Left(rows, keys, states, NONE if due is None else -(-due // MICROS_PER_MS))


def _one(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa
    return pa.Table.from_batches(batches, schema).combine_chunks().to_batches()[0] if any(
        batch.num_rows for batch in batches) else batches[0]


def _micros(times: pa.Array) -> list[Any]:
    import pyarrow as pa
    return list(times.view(pa.int64()).to_pylist())


def _made(rows: pa.RecordBatch, made: Any) -> Iterator[Row]:
    if rows.num_rows:
        yield made(**{ROWS: bytes(rows.serialize())})


def orderable(value: Any) -> Any:
    """What sorts as the value does in Spark: NULL first, NaN last."""
    if value is None:
        return (0,)
    if value is NAN:
        return (2,)
    if isinstance(value, dict):
        return (1, [orderable(each) for each in value.values()])
    return (1, [orderable(each) for each in value]) if isinstance(value, (list, tuple)) else (1, value)
