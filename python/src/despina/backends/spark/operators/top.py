"""The first rows of each group and window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark import streamed
from despina.backends.spark.times import event_time
from despina.backends.spark.views import listed, quoted, without
from despina.backends.spark.windows import window_of

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


_RANK, _WINDOW = "_despina_rank", "_despina_window"


def translate(call: Call) -> Frames:
    """Numbers each group and window by the order; in streams the engine's own operator, as a stateful processor."""
    if call.is_streaming:
        return {"out": streamed.fold(call)}
    fields = call.operator.fields
    time = event_time(call.operator, "in")
    columns = [quoted(column) for column in call.frame.columns]
    windowed = call.frame.selectExpr("*", f"{window_of(call.operator)} AS {_WINDOW}")
    order = listed([*fields["by"], quoted(time.column), *map(quoted, time.order_by)])
    groups = listed([_WINDOW, *fields.get("group_by", [])])
    numbered = windowed.selectExpr("*", f"row_number() OVER (PARTITION BY {groups} ORDER BY {order}) AS {_RANK}")
    first = numbered.where(f"{_RANK} <= {fields['n']}")
    if "select" not in fields:
        return {"out": first.selectExpr(*columns)}
    # Spark's window_time() wants a query around this one; its value is the window's end less a microsecond.
    rows = first.selectExpr(*columns, f"{_WINDOW} AS `window`", f"{_WINDOW}.end - INTERVAL '0.000001' SECOND AS window_time")
    return {"out": rows.selectExpr(*without(fields["select"], ["`window`", "`window_time`"], call.spark))}
