"""A bounded generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """``rows`` of type ``select`` over ``id`` and ``seed``."""
    fields = call.operator.fields
    seed = fields.get("seed", 1)
    return {"out": call.spark.range(fields["count"]).selectExpr("id", f"{seed}L AS seed").selectExpr(*fields["rows"]["select"])}
