"""State for each group, updated in event order: `scan`, and the operators that are special cases of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark import streamed

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """The engine's own operator, run through Spark's sorted groups, or as a stateful processor."""
    return {"out": streamed.fold(call) if call.is_streaming else call.folds.out(call)}
