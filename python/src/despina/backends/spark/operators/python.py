"""A Python function, called by the same adaptor as in a worker of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from despina.backends.spark import letters, streamed
from despina.backends.spark.facade import facade
from despina.backends.spark.folds import ports
from despina.backends.spark.keyed_rows import SortedKeys
from despina.backends.spark.python_calls import TIME, Kept, Wanted, by_key
from despina.backends.spark.user_functions import UserFunction
from despina.backends.spark.views import quoted
from despina.backends.workers import of_our_pandas, refuse_bare_python
from despina_worker.functions import Function, Result, selected

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from despina.backends.spark.form import Call, Frames
    from despina.backends.spark.plan import Operator


def translate(call: Call) -> Frames:
    """Batches of rows through the function. With state they are sorted, by key and in event order; as a stream the engine's own
    operator calls the function.
    """
    from pyspark.sql.types import StructType

    operator, frame = call.operator, call.frame
    if "state" in operator.fields and call.is_streaming:
        return {port: streamed.called(call, port) for port in ports(operator)}
    refuse_bare_python(call.spark)
    schema = StructType.fromDDL(operator.outputs["out"].schema)
    wanted = Wanted.of(operator, UserFunction.of(operator, call.graph), frame.schema, schema)
    if operator.on_error != "dead_letter":
        return {"out": applied(operator, frame, wanted, schema)}
    both = letters.beside(schema, StructType.fromDDL(operator.inputs["in"].schema))
    wanted = replace(wanted, letters=letters.Letters.of(both))
    return letters.divided(applied(operator, frame, wanted, both), partial(_errors, call))


def _errors(call: Call, bad: DataFrame) -> DataFrame:
    """Rows as the engine writes them into its dead letters."""
    from pyspark.sql import DataFrame as Frame

    rows = bad.select(letters.REASON, letters.RECORD, letters.ROW)
    return Frame(facade(call.spark).letters(rows._jdf, call.operator.id), call.spark)


def applied(operator: Operator, frame: DataFrame, wanted: Wanted, schema: StructType) -> DataFrame:
    """What the function gives for the rows of a frame, as a frame with these columns."""
    kept = None
    if "state" in operator.fields:
        frame, kept = by_key(operator, frame)
    with of_our_pandas():
        if kept is not None:
            order = [*kept.columns, *(quoted(column) for column in kept.order)]
            frame = frame.repartition(*kept.columns).sortWithinPartitions(*order)
        return frame.mapInArrow(_calls(wanted, kept), schema)


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


def _calls(wanted: Wanted, kept: Kept | None) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What runs in Spark's tasks."""
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        caller: _Rows | SortedKeys | None = None
        for batch in batches if wanted.fixed_rows is None else sized(batches, wanted.fixed_rows):
            if batch.num_rows:
                caller = caller or _opened(wanted, kept)
                for rows, result in caller.call(batch):
                    yield from wanted.left(rows, result)
        if caller is not None:
            for rows, result in caller.finish(batch):
                yield from wanted.left(rows, result)
    return run


def _opened(wanted: Wanted, kept: Kept | None) -> _Rows | SortedKeys:
    return _Rows(wanted.opened()) if kept is None else SortedKeys(wanted.opened_by_key(kept), kept.columns, TIME)
