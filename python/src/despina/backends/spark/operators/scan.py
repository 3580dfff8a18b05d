"""State for each group, updated in event order: `scan`, and the operators that are special cases of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark import streamed
from despina.backends.spark.folds import ports

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """The engine's own operator, run through Spark's sorted groups, or as a stateful processor."""
    if call.is_streaming:
        return {port: streamed.fold(call, port) for port in ports(call.operator)}
    return call.folds.ports(call)
