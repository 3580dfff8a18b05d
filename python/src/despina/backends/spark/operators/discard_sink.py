"""Rows that are counted and dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.views import worked_out

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.folds import GraphText
    from despina.backends.spark.plan import Operator


def write(operator: Operator, frame: DataFrame, graph: GraphText) -> int:
    """Counts them."""
    return worked_out(frame)
