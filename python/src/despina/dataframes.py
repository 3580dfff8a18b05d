"""DataFrames of Spark as sources of graphs that are built in Python.

>>> readings = despina.from_dataframe("readings", spark.table("readings"), time="ts")   # doctest: +SKIP
>>> readings >> op.Filter("hot", where="celsius > 90") >> op.CollectSink("rows")        # doctest: +SKIP
>>> Graph.build("hot", readings).to_spark(spark)["rows"].show()                         # doctest: +SKIP

In the file such a source is a ``spark_source``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.builder import UNSET
from despina.operators import EventTime, SparkSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame


class DataFrameSource(SparkSource):
    """A source that has its rows from a DataFrame."""

    def __init__(self, id_: str, frame: DataFrame, time: EventTime | None) -> None:
        super().__init__(id_, schema=frame.schema.toDDL(), unbounded=True if frame.isStreaming else UNSET,
                         event_time=time or UNSET)
        self.frame = frame


def from_dataframe(id_: str, frame: DataFrame, *, time: str | None = None, max_delay_ms: int = 0,
                   order_by: Sequence[str] = ()) -> DataFrameSource:
    """A DataFrame, or a stream, as a source: the graph then needs no ``inputs`` in :meth:`despina.Graph.to_spark`.

    :param time: the column that is the event time
    :param max_delay_ms: how late a row of a stream may be
    :param order_by: columns that break ties in time
    """
    if time is None:
        return DataFrameSource(id_, frame, None)
    return DataFrameSource(id_, frame, EventTime(
        column=time, max_delay_ms=max_delay_ms or UNSET, order_by=list(order_by) if order_by else UNSET))
