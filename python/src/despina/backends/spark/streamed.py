"""Operators on Spark's streams that the engine's own code works: folds in event order, joins, windows that Spark cannot.

Spark groups the rows and keeps what the operator keeps, as bytes; see ``StreamedGroups`` in the jar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from despina.backends.spark.facade import facade
from despina.backends.spark.folds import keys, ports
from despina.backends.spark.sides import united

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call


def fold(call: Call, port: str = "out") -> DataFrame:
    """A port of a fold, grouped by its ``group_by``."""
    return _folded(call, keys(call.operator), port)


def join(call: Call) -> DataFrame:
    """Port ``out`` of a join."""
    texts = call.operator.fields["keys"]
    return _folded(call, [texts["left"], texts["right"]], "out")


def _folded(call: Call, texts: Sequence[Sequence[str]], port: str) -> DataFrame:
    from pyspark.sql import DataFrame as Frame

    operator, graph = call.operator, call.graph
    # Equal keys have one hash. Keys that share one share a state, in which the operator keeps them apart. Each operator has a
    # hash of its own: Spark shuffles rows once for two that are grouped alike, and then knows no watermark of the second.
    rows = united(call, texts, lambda key: f"hash({key}, '{operator.id}.{port}')")
    time = operator.outputs[port].event_time
    java = facade(call.spark)
    text = java.operator(graph.text, graph.file, graph.options, ports(operator)[port])
    folded = java.streamed(rows._jdf, time.column if time else None, text)
    return cast("DataFrame", Frame(folded, call.spark))
