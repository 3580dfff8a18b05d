"""Operators on Spark's streams that the engine's own code works: folds in event order, joins, windows that Spark cannot.

Spark groups the rows and keeps what the operator keeps, as bytes; see ``StreamedGroups`` in the jar.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, cast

from despina.backends.spark.facade import facade
from despina.backends.spark.folds import ports
from despina.backends.spark.times import event_time
from despina.backends.spark.views import listed, queried, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call

_KEY, _GROUP, _TIME, _INPUT = "_despina_key", "_despina_group", "_despina_time", "_despina_input_"


def fold(call: Call, port: str = "out") -> DataFrame:
    """A port of an operator with one input, grouped by its ``group_by``."""
    return _folded(call, [call.operator.fields.get("group_by", [])], port)


def join(call: Call) -> DataFrame:
    """Port ``out`` of a join."""
    keys = call.operator.fields["keys"]
    return _folded(call, [keys["left"], keys["right"]], "out")


def _folded(call: Call, keys: Sequence[Sequence[str]], port: str) -> DataFrame:
    from pyspark.sql import DataFrame as Frame

    operator, graph = call.operator, call.graph
    sides = [_side(call, port, keys[index], index) for index, port in enumerate(operator.inputs)]
    both = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), sides)
    inputs = [f"{_INPUT}{index}" for index in range(len(sides))]
    # Equal keys have one hash. Keys that share one share a state, in which the operator keeps them apart. Each operator has a
    # hash of its own: Spark shuffles rows once for two that are grouped alike, and then knows no watermark of the second.
    rows = both.selectExpr(f"hash({_KEY}, '{operator.id}.{port}') AS {_GROUP}", _TIME, *inputs)
    time = operator.outputs[port].event_time
    java = facade(call.spark)
    text = java.operator(graph.text, graph.file, graph.options, ports(operator)[port])
    folded = java.streamed(rows._jdf, time.column if time else None, text)
    return cast("DataFrame", Frame(folded, call.spark))


def _side(call: Call, port: str, keys: Sequence[str], index: int) -> DataFrame:
    """The key, the event time with the stream's watermark, and the whole row of one input."""
    time = event_time(call.operator, port)
    # A struct takes keys with their names; those of two sides get the same ones.
    key = listed(keys) if len(call.operator.inputs) == 1 else ", ".join(f"{text}\n AS k{k}" for k, text in enumerate(keys))
    columns = [f"struct({key or '0'}) AS {_KEY}", f"{quoted(time.column)} AS {_TIME}", f"struct(*) AS {_INPUT}{index}"]
    return queried(f"SELECT {', '.join(columns)} FROM {quoted(port)}", {port: call.inputs[port]}, call.spark)
