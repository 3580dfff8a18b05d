"""Event time on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.views import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.plan import EventTime, Operator


def event_time(operator: Operator, port: str) -> EventTime:
    """The event time of the stream at a port where the planner asks for one."""
    time = operator.inputs[port].event_time
    assert time is not None, "the planner refuses what needs event time and has none"
    return time


def timed(operator: Operator, port: str, frame: DataFrame) -> str:
    """A relation of a query: the frame at that port, which the query calls by the port's name. A row whose event time is NULL
    fails the job, as a bad record does on the engine.
    """
    name = event_time(operator, port).column
    if not frame.schema[name].nullable:
        return quoted(port)
    column = quoted(name)
    checked = f"coalesce({column}, raise_error('operator {operator.id}: its event time is NULL'))"
    # In the column's place: Spark skips NULLs of a column that it will compare before it asks any condition. The condition has
    # every row looked at, those too that meet no other.
    columns = [f"{checked} AS {column}" if c == name else quoted(c) for c in frame.columns]
    return f"(SELECT * FROM (SELECT {', '.join(columns)} FROM {quoted(port)}) WHERE {column} IS NOT NULL)"
