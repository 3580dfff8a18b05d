"""Folds in event order on Spark: the engine's own compiled operator, run through Spark's sorted groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from despina.backends.spark.times import event_time
from despina.backends.spark.views import listed, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call

_GROUP = "_despina_group"


@dataclass(frozen=True)
class GraphText:
    """The graph as it was written, from which each Spark task plans the operator that it runs; ``options`` as for the gateway.

    ``instant_micros`` is what ``now()`` means throughout; it is among the options too. ``buckets`` is the graph's setting: how
    many groups the rows of a keyed fold are dealt to, as keys are on the engine.
    """

    text: str
    file: str
    options: str
    instant_micros: int
    buckets: int


def fold(call: Call) -> DataFrame:
    """Port ``out`` of a ``scan`` or of an ``aggregate`` that gives a row per packet.

    Rows are grouped by a hash of the keys, sorted in event order and handed to the operator, which keeps its groups apart
    as on the engine. Without keys all rows are one group: one Spark partition.
    """
    from pyspark.sql import DataFrame as Frame

    operator, frame, graph = call.operator, call.frame, call.graph
    time = event_time(operator, "in")
    keys = operator.fields.get("group_by", [])
    # A struct takes keys with their names, and its hash keeps equal keys together.
    group = f"pmod(hash(struct({listed(keys)})), {graph.buckets})" if keys else "0"
    columns = [quoted(c) for c in frame.columns]
    order = [time.column, *time.order_by]
    grouped = frame.selectExpr(*columns, f"CAST({group} AS INT) AS {_GROUP}")
    jvm = call.spark._jvm
    assert jvm is not None
    folding = jvm.io.despina.control.assembly.OperatorFold(graph.text, graph.file, graph.options, operator.id)
    folded = jvm.io.despina.expr.catalyst.row.SortedGroups.fold(grouped._jdf, _GROUP, order, folding)
    return cast("DataFrame", Frame(folded, call.spark))
