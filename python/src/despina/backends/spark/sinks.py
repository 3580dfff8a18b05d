"""Sinks on Spark: what reaches a sink is written, counted or shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from despina.backends.spark.failures import told_of
from despina.backends.spark.operators import SINKS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.backends.spark.folds import GraphText
    from despina.backends.spark.plan import Operator


def check(operator: Operator, spark: SparkSession) -> None:
    """Before anything is worked out: whether the sink may write.

    :raise JobError: it may not, as on the engine
    """
    with told_of(operator):
        SINKS[operator.type].check(operator, spark)


def write(operator: Operator, frame: DataFrame, graph: GraphText, before: Sequence[Operator]) -> int:
    """Brings the frame to its sink and gives the number of its rows.

    :param before: the operators that the rows come from, and the sink

    :raise JobError: Spark failed, in its own words
    """
    with told_of(operator, before):
        return SINKS[operator.type].write(operator, frame, graph)
