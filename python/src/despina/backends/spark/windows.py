"""Tumbling and sliding windows on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from despina.backends.spark.times import event_time
from despina.backends.spark.views import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from despina.backends.spark.plan import Operator


def window_of(operator: Operator, port: str = "in", window: Mapping[str, Any] | None = None) -> str:
    """The window of a row at that port, as SQL: a row for each that it falls into, none where its event time is NULL.

    :param window: in place of the operator's own
    """
    window = operator.fields["window"] if window is None else window
    size, slide = window["size_ms"], window.get("slide_ms", window["size_ms"])
    spans = ", ".join(f"'{ms} milliseconds'" for ms in (size, slide, window.get("offset_ms", 0) % slide))
    return f"window({quoted(event_time(operator, port).column)}, {spans})"
