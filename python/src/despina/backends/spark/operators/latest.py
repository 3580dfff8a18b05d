"""The newest row of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark import streamed
from despina.backends.spark.operators import top
from despina.backends.spark.times import event_time
from despina.backends.spark.views import quoted

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """The first row of each group and period in the opposite of event order; in streams the engine's own operator."""
    if call.is_streaming:
        return {"out": streamed.fold(call)}
    fields, time = call.operator.fields, event_time(call.operator, "in")
    newest = [f"{quoted(column)} DESC NULLS LAST" for column in (time.column, *time.order_by)]
    window = {"window": {"size_ms": fields["every_ms"]}} if "every_ms" in fields else {}
    return {"out": top.first(call, {**fields, **window, "n": 1}, newest)}
