"""The rows of each window in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark import streamed
from despina.backends.spark.times import event_time
from despina.backends.spark.views import listed, queried, quoted, without
from despina.backends.spark.windows import bounded, window_of

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames

_WINDOW = "_despina_window"


def translate(call: Call) -> Frames:
    """Sorts the whole batch, window by window; in streams the engine's own operator, as a stateful processor."""
    if call.is_streaming:
        return {"out": streamed.fold(call)}
    fields, frame = call.operator.fields, call.frame
    columns = [quoted(column) for column in frame.columns]
    order, select = list(fields["by"]), fields.get("select")
    if "window" in fields:
        time = event_time(call.operator, "in")
        order = [_WINDOW, *order, quoted(time.column), *map(quoted, time.order_by)]
        frame = frame.selectExpr("*", f"{window_of(call.operator)} AS {_WINDOW}")
    rows = queried(f"SELECT * FROM `in` ORDER BY {listed(order)}", {"in": frame}, call.spark)
    if select is None:
        return {"out": rows.selectExpr(*columns)}
    if "window" in fields:
        rows, new = bounded(rows, columns, _WINDOW)
        select = without(select, new, call.spark)
    return {"out": rows.selectExpr(*select)}
