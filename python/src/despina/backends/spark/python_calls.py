"""A Python function of the user's in Spark's tasks, called by the adaptor of the engine's workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from despina.backends.spark.letters import Letters
from despina.backends.spark.times import event_time
from despina.backends.spark.user_functions import UserFunction, arrow
from despina.backends.spark.views import quoted
from despina_worker.functions import Function, Result, Spec
from despina_worker.keyed import Keyed

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from despina.backends.spark.plan import Operator

TIME = "_despina_time"
"""The event time of rows by key."""


@dataclass(frozen=True)
class Kept:
    """Of a function with state: the columns that the rows have for their keys, those in whose order the rows of a key come, and
    what the engine says of key and state.
    """

    columns: list[str]
    order: list[str]
    keys: pa.Schema
    state: pa.Schema


def by_key(operator: Operator, frame: DataFrame) -> tuple[DataFrame, Kept]:
    """The rows with columns for their keys and their event time."""
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
    return frame, Kept(keys, [TIME, *time.order_by], arrow(of_keys), arrow(state))


@dataclass(frozen=True)
class Wanted:
    """What the operator says of its function's calls. Spark pickles it.

    ``inputs``: the columns of a packet; ``outputs``: those that the function returns; ``letters``: if bad records leave too.
    """

    function: UserFunction
    takes: str
    adds: bool
    columns: list[str]
    in_flight: int
    fixed_rows: int | None
    inputs: pa.Schema
    outputs: pa.Schema
    letters: Letters | None = None

    @classmethod
    def of(cls, operator: Operator, function: UserFunction, inputs: StructType, outputs: StructType) -> Wanted:
        """The operator's. ``inputs``: the columns of its packets; ``outputs``: those of what leaves it."""
        from pyspark.sql.types import StructType

        fields = operator.fields
        returned = StructType(outputs.fields[len(inputs):]) if "adds" in fields else outputs
        return cls(function, fields.get("takes", "row"), "adds" in fields, fields.get("columns", []),
                   fields.get("in_flight", 64), fields.get("fixed_rows"), arrow(inputs), arrow(returned))

    def opened(self) -> Function:
        """The function itself, here in a task."""
        return Function.of(self.spec(), self.function.found())

    def opened_by_key(self, kept: Kept) -> Keyed:
        """The same, for one that keeps state."""
        return Keyed.of(replace(self.spec(), keys=kept.keys, state=kept.state, clock="event"), self.function.found())

    def spec(self) -> Spec:
        """As the adaptor of the worker takes it."""
        return Spec(self.function.name, self.takes, self.adds, self.columns, True, self.in_flight, self.function.options,
                    self.inputs, self.outputs)

    def left(self, batch: pa.RecordBatch, result: Result) -> Iterator[pa.RecordBatch]:
        """What leaves for the rows of a batch, which may have more columns than a packet has."""
        import pyarrow as pa
        batch = batch.select(self.inputs.names)
        good = self._good(batch, result)
        if self.letters is None:
            yield good
            return
        yield self.letters.good(good)
        if result.errors:
            numbers, reasons = zip(*result.errors, strict=True)
            records = result.records or [None] * len(reasons)
            rows = [row if record is None else None for row, record in zip(numbers, records, strict=True)]
            yield self.letters.bad(reasons, records, batch.take(pa.array(rows, pa.int64())))

    def _good(self, batch: pa.RecordBatch, result: Result) -> pa.RecordBatch:
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
