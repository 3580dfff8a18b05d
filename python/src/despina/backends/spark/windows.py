"""Tumbling and sliding windows on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from despina.backends.spark.times import event_time
from despina.backends.spark.views import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from despina.backends.spark.plan import Operator


def window_of(operator: Operator, port: str = "in", window: Mapping[str, Any] | None = None) -> str:
    """The window of a row at that port, as SQL: a row for each that it falls into, none where its event time is NULL.

    :param window: in place of the operator's own
    """
    window = operator.fields["window"] if window is None else window
    size, slide = window["size_ms"], window.get("slide_ms", window["size_ms"])
    spans = ", ".join(f"'{ms} milliseconds'" for ms in (size, slide, window.get("offset_ms", 0) % slide))
    return f"window({quoted(event_time(operator, port).column)}, {spans})"


def bounded(rows: DataFrame, columns: Sequence[str], window: str) -> tuple[DataFrame, list[str]]:
    """The columns of the rows, and ``window`` and ``window_time`` by their names where no column has these: a select list that
    means one then cannot be. Also the new names.

    :param window: the column that has the window
    """
    # Spark's window_time() wants a query around this one; its value is the window's end less a microsecond.
    wanted = {"window": window, "window_time": f"{window}.end - INTERVAL '0.000001' SECOND"}
    new = {quoted(name): sql for name, sql in wanted.items() if quoted(name) not in (column.lower() for column in columns)}
    return rows.selectExpr(*columns, *(f"{sql} AS {name}" for name, sql in new.items())), list(new)
