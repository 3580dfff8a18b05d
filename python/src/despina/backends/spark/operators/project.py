"""A row of expressions from each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """The select list."""
    return {"out": call.frame.selectExpr(*call.operator.fields["select"])}
