"""Operators on Spark's streams that the engine's own code works: folds in event order, joins, windows that Spark cannot, and
Python functions with state.

Spark groups the rows and keeps what the operator keeps, as bytes; see ``StreamedGroups`` in the jar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from despina.backends.spark.facade import facade
from despina.backends.spark.folds import keys, ports
from despina.backends.spark.sides import united
from despina.backends.workers import of_executors

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


def called(call: Call, port: str) -> DataFrame:
    """A port of a Python function with state, which processes beside Spark's own workers call."""
    from pyspark.sql import DataFrame as Frame

    rows, text = _grouped(call, keys(call.operator), port)
    command, included = of_executors(call.spark)
    return Frame(facade(call.spark).called(rows._jdf, text, command, included), call.spark)


def _folded(call: Call, texts: Sequence[Sequence[str]], port: str) -> DataFrame:
    from pyspark.sql import DataFrame as Frame

    rows, text = _grouped(call, texts, port)
    time = call.operator.outputs[port].event_time
    return Frame(facade(call.spark).streamed(rows._jdf, time.column if time else None, text), call.spark)


def _grouped(call: Call, texts: Sequence[Sequence[str]], port: str) -> tuple[DataFrame, Any]:
    """The rows of all inputs by group, and the operator as the façade has it."""
    operator, graph = call.operator, call.graph
    # Equal keys have one hash. Keys that share one share a state, in which the operator keeps them apart. Each operator has a
    # hash of its own: Spark shuffles rows once for two that are grouped alike, and then knows no watermark of the second.
    rows = united(call, texts, lambda key: f"hash({key}, '{operator.id}.{port}')")
    return rows, facade(call.spark).operator(graph.text, graph.file, graph.options, ports(operator)[port])
