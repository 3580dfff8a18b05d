"""Operators that take rows one by one, in any order, and need the engine's own code: run over the partitions as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.facade import facade

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """Port ``out``, in batches and in streams."""
    from pyspark.sql import DataFrame

    graph, java = call.graph, facade(call.spark)
    operator = java.fold(graph.text, graph.file, graph.options, [call.operator.id])
    return {"out": DataFrame(java.each(call.frame._jdf, operator), call.spark)}
