"""A row for each element of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.views import quoted, settled

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """The columns of the row, then the element."""
    fields = call.operator.fields
    return {"out": settled(call.frame.selectExpr("*", f"explode({fields['of']}\n) AS {quoted(fields['as'])}"))}
