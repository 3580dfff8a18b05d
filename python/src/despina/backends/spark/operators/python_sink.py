"""A sink in Python: each instance is a task that writes the rows of a partition, all of them in one epoch.

What they have prepared is committed when all of them have, in other tasks: the class can do that in another process anyway, since
one may end between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from despina.backends.spark.user_functions import UserFunction, arrow
from despina.backends.workers import of_our_pandas, refuse_bare_python
from despina_worker.functions import Spec, selected
from despina_worker.sinks import Sink

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from despina.backends.spark.folds import GraphText
    from despina.backends.spark.plan import Operator

    Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

EPOCH = 1
DONE = "instance BIGINT, rows BIGINT, prepared BOOLEAN"
"""What a task says of its instance."""


def write(operator: Operator, frame: DataFrame, graph: GraphText) -> int:
    """Gives the rows to as many instances as the graph says, or to fewer if the frame has fewer partitions."""
    refuse_bare_python(frame.sparkSession)
    writing = _Writing.of(operator, UserFunction.of(operator, graph), arrow(frame.schema))
    try:
        done = _ran(frame.coalesce(writing.instances), writing.writes) or _each(frame, [0], writing.opens)
        _each(frame, [task.instance for task in done if task.prepared], writing.commits)
    except Exception:
        with suppress(Exception):       # what has made it fail is told
            _each(frame, list(range(writing.instances)), writing.aborts)
        raise
    return sum(task.rows for task in done)


def _ran(frame: DataFrame, task: Task) -> list[Any]:
    with of_our_pandas():
        return list(frame.mapInArrow(task, DONE).collect())


def _each(frame: DataFrame, instances: list[int], step: Callable[[int], tuple[int, bool]]) -> list[Any]:
    """A task for each of these instances."""
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for k in batch.column(0).to_pylist():
                yield _said(instances[k], *step(instances[k]))

    count = len(instances)
    return _ran(frame.sparkSession.range(0, count, 1, count), task) if count else []


def _said(instance: int, rows: int, prepared: bool) -> pa.RecordBatch:
    import pyarrow as pa
    return pa.RecordBatch.from_pydict({"instance": [instance], "rows": [rows], "prepared": [prepared]})


@dataclass(frozen=True)
class _Writing:
    """What the operator says of its sink. Spark pickles it."""

    function: UserFunction
    takes: str
    columns: list[str]
    pure: bool
    in_flight: int
    instances: int
    inputs: pa.Schema

    @classmethod
    def of(cls, operator: Operator, function: UserFunction, inputs: pa.Schema) -> _Writing:
        fields = operator.fields
        return cls(function, fields.get("takes", "row"), fields.get("columns", []), fields.get("pure", False),
                   fields.get("in_flight", 64), operator.parallelism, inputs)

    def writes(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A partition. What an earlier try of the task has prepared is dropped first."""
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None, "it runs in a task"
        instance = context.partitionId()
        yield _said(instance, *self._written(instance, batches))

    def opens(self, instance: int) -> tuple[int, bool]:
        """No rows at all, which a sink may have to show too."""
        return self._written(instance, iter(()))

    def commits(self, instance: int) -> tuple[int, bool]:
        """What the instance has prepared is shown."""
        sink = self._opened(instance)
        self._settled(sink, "commit", EPOCH)
        sink.function.close()
        return 0, False

    def aborts(self, instance: int) -> tuple[int, bool]:
        """All that the instance has prepared is dropped, if its class can do that."""
        if callable(getattr(self.function.found(), "abort", None)):
            sink = self._opened(instance)
            self._settled(sink, "abort", 0)
            sink.function.close()
        return 0, False

    def _opened(self, instance: int) -> Sink:
        import pyarrow as pa
        spec = Spec(self.function.name, self.takes, False, self.columns, self.pure, self.in_flight, self.function.options,
                    self.inputs, pa.schema([]), self.function.place(instance, self.instances))
        return Sink(spec, self.function.found())

    def _written(self, instance: int, batches: Iterator[pa.RecordBatch]) -> tuple[int, bool]:
        sink = self._opened(instance)
        if "abort" in sink.methods:
            self._settled(sink, "abort", 0)
        rows = 0
        for batch in batches:
            if batch.num_rows:
                result = sink.call(selected(batch, sink.function))
                if result.errors and not self.function.skips:
                    row, why = result.errors[0]
                    self.function.failed(f"{why}: {batch.slice(row, 1).to_pylist()[0]}")
                rows += batch.num_rows
        prepared = "prepare" in sink.methods
        if prepared or "flush" in sink.methods:
            self._settled(sink, "prepare" if prepared else "flush", EPOCH)
        sink.function.close()
        return rows, prepared

    def _settled(self, sink: Sink, step: str, epoch: int) -> None:
        if (why := sink.settled(step, epoch)) is not None:
            self.function.failed(why)
