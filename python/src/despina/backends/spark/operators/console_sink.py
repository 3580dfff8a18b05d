"""The first rows, shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.views import kept

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.plan import Operator


SHOWN_ROWS = 1000


def write(operator: Operator, frame: DataFrame) -> int:
    """Shows some and counts all."""
    with kept(frame):
        frame.show(SHOWN_ROWS, truncate=False)
        return int(frame.count())
