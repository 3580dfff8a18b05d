"""A Python function, called by the same adaptor as in a worker of the engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from despina.backends.workers import of_our_pandas, refuse_bare_python
from despina_worker.functions import Function, Result, Spec
from despina_worker.service import fresh, imported

if TYPE_CHECKING:
    import pyarrow as pa

    from despina.backends.spark.form import Call, Frames
    from despina.backends.spark.plan import Operator


def translate(call: Call) -> Frames:
    """Batches of rows through the function."""
    from pyspark.sql.types import StructType

    operator, frame = call.operator, call.frame
    refuse_bare_python(call.spark)
    python = json.loads(call.graph.options)["python"]
    wanted = _Wanted.of(operator, python["modules"])
    schema = StructType.fromDDL(operator.outputs["out"].schema)
    returned = StructType(schema.fields[len(frame.columns):]) if wanted.adds else schema
    types = _arrow(frame.schema), _arrow(returned)
    with of_our_pandas():
        return {"out": frame.mapInArrow(wanted.calls(*types), schema)}


def _arrow(schema: Any) -> pa.Schema:
    """As the engine gives them to a worker: times in UTC."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(schema, timezone="UTC")


def _selected(batch: pa.RecordBatch, function: Function) -> pa.RecordBatch:
    """What the function reads of it; without columns it has its rows all the same."""
    import pyarrow as pa
    if not function.columns:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * batch.num_rows, pa.struct([])))
    return batch.select(function.columns).cast(function.input_schema)


@dataclass(frozen=True)
class _Wanted:
    """What the operator says of its function. Spark pickles it."""

    id: str
    function: str
    takes: str
    adds: bool
    columns: list[str]
    in_flight: int
    options: dict[str, str]
    skips: bool
    modules: list[str]

    @classmethod
    def of(cls, operator: Operator, modules: list[str]) -> _Wanted:
        fields = operator.fields
        return cls(operator.id, fields["function"], fields.get("takes", "row"), "adds" in fields, fields.get("columns", []),
                   fields.get("in_flight", 64), fields.get("options", {}), operator.on_error != "fail", modules)

    def calls(self, inputs: pa.Schema, outputs: pa.Schema) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """What runs in Spark's tasks."""
        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            function: Function | None = None
            for batch in batches:
                if function is None:
                    fresh(self.function, self.modules)
                    function = Function.of(Spec(self.function, self.takes, self.adds, self.columns, True, self.in_flight,
                                                self.options, inputs, outputs), imported(self.function))
                yield self._rows(batch, function.call(_selected(batch, function)))
            if function is not None:
                function.close()
        return run

    def _rows(self, batch: pa.RecordBatch, result: Result) -> pa.RecordBatch:
        import pyarrow as pa
        if result.errors and not self.skips:
            row, why = result.errors[0]
            raise RuntimeError(f"{self.function} (operator {self.id}): {why}: {batch.slice(row, 1).to_pylist()[0]}")
        if not self.adds:
            return result.batch
        bad = {row for row, _ in result.errors}
        kept = batch.take(pa.array([k for k in range(batch.num_rows) if k not in bad], pa.int64())) if bad else batch
        arrays = [*kept.columns, *result.batch.columns]
        return pa.RecordBatch.from_arrays(arrays, names=[*kept.schema.names, *result.batch.schema.names])
