"""A source in Python: each instance is a task, in which the function gives its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from despina.backends.spark import letters
from despina.backends.spark.user_functions import UserFunction, arrow
from despina.backends.workers import of_our_pandas, refuse_bare_python
from despina_worker.errors import WRONG, described
from despina_worker.functions import Spec
from despina_worker.sources import Chunk, Reader, Source

if TYPE_CHECKING:
    import pyarrow as pa

    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """The rows of each instance, made anew for each query of Spark's."""
    from pyspark.sql.types import StructType

    refuse_bare_python(call.spark)
    operator = call.operator
    schema, instances = StructType.fromDDL(operator.outputs["out"].schema), operator.parallelism
    both = letters.beside(schema, None) if operator.on_error == "dead_letter" else None
    beside = None if both is None else letters.Letters.of(both)
    rows = _of_instances(UserFunction.of(operator, call.graph), instances, arrow(schema), beside)
    with of_our_pandas():
        frame = call.spark.range(0, instances, 1, instances).mapInArrow(rows, both or schema)
    return {"out": frame} if beside is None else letters.divided(frame, lambda bad: bad.selectExpr(
        f"{letters.REASON} AS reason", f"'{operator.id}' AS operator", f"{letters.RECORD} AS record"))


def _of_instances(function: UserFunction, instances: int, outputs: pa.Schema, beside: letters.Letters | None
                  ) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What runs in Spark's tasks, each of which has the number of its instance."""
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        for batch in batches:
            for instance in batch.column(0).to_pylist():
                spec = Spec(function.name, "row", False, [], True, 1, function.options, pa.schema([]), outputs,
                            function.place(instance, instances))
                source = Source(spec, function.found())
                try:
                    yield from _rows(source, spec, function, beside)
                finally:
                    with suppress(*WRONG):
                        source.close()
    return run


def _rows(source: Source, spec: Spec, function: UserFunction, beside: letters.Letters | None
          ) -> Iterator[pa.RecordBatch]:
    chunks = _gathered(source, Reader(spec))
    while (chunk := _next(chunks, function)) is not None:
        batch, errors = chunk.made(spec.outputs)
        if errors and not function.skips:
            function.failed(": ".join(errors[0]))
        yield batch if beside is None else beside.good(batch)
        if errors and beside is not None:
            yield beside.bad(*zip(*errors, strict=True))


def _next(chunks: Iterator[Chunk], function: UserFunction) -> Chunk | None:
    try:
        return next(chunks, None)
    except WRONG as error:
        while (trace := error.__traceback__) is not None and trace.tb_frame.f_code.co_filename == __file__:
            error.__traceback__ = trace.tb_next     # the user's own lines alone are told
        function.failed(described(error))


def _gathered(source: Source, reader: Reader) -> Iterator[Chunk]:
    """All that it yields, its rows together as far as they go."""
    waiting = Chunk()
    for value in source.values():
        for chunk in reader.chunks(value):
            if chunk.batch is not None or waiting.is_full():
                yield waiting
                waiting = chunk
            else:
                waiting.rows += chunk.rows
                waiting.errors += chunk.errors
    yield waiting
