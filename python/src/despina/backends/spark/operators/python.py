"""A Python function, called by the same adaptor as in a worker of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from despina.backends.spark.keyed_rows import SortedKeys
from despina.backends.spark.times import event_time
from despina.backends.spark.user_functions import UserFunction, arrow
from despina.backends.spark.views import quoted
from despina.backends.workers import of_our_pandas, refuse_bare_python
from despina_worker.functions import Function, Result, Spec, selected
from despina_worker.keyed import Keyed

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call, Frames
    from despina.backends.spark.plan import Operator

TIME = "_despina_time"


def translate(call: Call) -> Frames:
    """Batches of rows through the function. With state they are sorted, by key and in event order."""
    from pyspark.sql.types import StructType

    operator, frame = call.operator, call.frame
    refuse_bare_python(call.spark)
    wanted = _Wanted.of(operator, UserFunction.of(operator, call.graph))
    schema = StructType.fromDDL(operator.outputs["out"].schema)
    inputs = frame.schema
    returned = StructType(schema.fields[len(inputs):]) if wanted.adds else schema
    kept = None
    if "state" in operator.fields:
        frame, kept = _by_key(operator, frame)
    with of_our_pandas():
        return {"out": frame.mapInArrow(wanted.calls(arrow(inputs), arrow(returned), kept), schema)}


def _by_key(operator: Operator, frame: DataFrame) -> tuple[DataFrame, _Kept]:
    """The rows of a key in one partition, one after the other, with columns for key and time."""
    from pyspark.sql.functions import col, lit
    from pyspark.sql.types import DoubleType, FloatType, StructField, StructType, TimestampType

    time, fields = event_time(operator, "in"), operator.fields
    keys = [f"_despina_key_{k}" for k in range(len(fields["group_by"]))]
    checked = f"coalesce({quoted(time.column)}, raise_error('operator {operator.id}: its event time is NULL'))"
    frame = frame.selectExpr(*(quoted(column) for column in frame.columns), f"{checked} AS {TIME}",
                             *(f"({of}\n) AS {key}" for of, key in zip(fields["group_by"], keys, strict=True)))
    for key in keys:
        kind = frame.schema[key].dataType
        if isinstance(kind, (DoubleType, FloatType)):       # -0.0 is 0.0, as in GROUP BY
            frame = frame.withColumn(key, col(key) + lit(0.0).cast(kind))
    of_keys = StructType([StructField(name, frame.schema[key].dataType)
                          for name, key in zip(fields["key_names"], keys, strict=True)])
    columns = "`$pickled` BINARY" if fields["state"] == "pickle" else fields["state"]
    state = StructType([*StructType.fromDDL(columns).fields, StructField("$timer", TimestampType())])
    order = [*keys, TIME, *map(quoted, time.order_by)]
    return frame.repartition(*keys).sortWithinPartitions(*order), _Kept(keys, arrow(of_keys), arrow(state))


def sized(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of just so many; the last has fewer."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= rows:
            table = pa.Table.from_batches(waiting)
            whole = count // rows * rows
            for at in range(0, whole, rows):
                yield from table.slice(at, rows).combine_chunks().to_batches()
            count -= whole
            waiting = table.slice(whole).to_batches()
    if count:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()


class _Rows:
    """A function without state: nothing is left of a batch."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def call(self, batch: pa.RecordBatch) -> Iterator[tuple[pa.RecordBatch, Result]]:
        """What the batch gives."""
        yield batch, self._function.call(selected(batch, self._function))

    def finish(self, batch: pa.RecordBatch) -> Iterator[tuple[pa.RecordBatch, Result]]:
        """The partition has no more rows."""
        self._function.close()
        return iter(())


@dataclass(frozen=True)
class _Kept:
    """Of a function with state: the columns that the rows have for their keys, and what the engine says of key and state."""

    columns: list[str]
    keys: pa.Schema
    state: pa.Schema


@dataclass(frozen=True)
class _Wanted:
    """What the operator says of its function's calls. Spark pickles it."""

    function: UserFunction
    takes: str
    adds: bool
    columns: list[str]
    in_flight: int
    fixed_rows: int | None

    @classmethod
    def of(cls, operator: Operator, function: UserFunction) -> _Wanted:
        fields = operator.fields
        return cls(function, fields.get("takes", "row"), "adds" in fields, fields.get("columns", []),
                   fields.get("in_flight", 64), fields.get("fixed_rows"))

    def calls(self, inputs: pa.Schema, outputs: pa.Schema, kept: _Kept | None
              ) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """What runs in Spark's tasks."""
        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            caller: _Rows | SortedKeys | None = None
            for batch in batches if self.fixed_rows is None else sized(batches, self.fixed_rows):
                if batch.num_rows:
                    caller = caller or self._opened(inputs, outputs, kept)
                    for rows, result in caller.call(batch):
                        yield self._rows(rows.select(inputs.names), result)
            if caller is not None:
                for rows, result in caller.finish(batch):
                    yield self._rows(rows.select(inputs.names), result)
        return run

    def _opened(self, inputs: pa.Schema, outputs: pa.Schema, kept: _Kept | None) -> _Rows | SortedKeys:
        found = self.function.found()
        spec = Spec(self.function.name, self.takes, self.adds, self.columns, True, self.in_flight, self.function.options, inputs,
                    outputs)
        if kept is None:
            return _Rows(Function.of(spec, found))
        function = Keyed.of(replace(spec, keys=kept.keys, state=kept.state, clock="event"), found)
        return SortedKeys(function, kept.columns, TIME)

    def _rows(self, batch: pa.RecordBatch, result: Result) -> pa.RecordBatch:
        import pyarrow as pa
        if result.errors and not self.function.skips:
            row, why = result.errors[0]
            record = result.records[0] if result.records else None
            self.function.failed(f"{why}: {record or batch.slice(row, 1).to_pylist()[0]}")
        if not self.adds:
            return result.batch
        bad = {row for k, (row, _) in enumerate(result.errors) if not result.records or result.records[k] is None}
        kept = batch.take(pa.array([k for k in range(batch.num_rows) if k not in bad], pa.int64())) if bad else batch
        arrays = [*kept.columns, *result.batch.columns]
        return pa.RecordBatch.from_arrays(arrays, names=[*kept.schema.names, *result.batch.schema.names])
