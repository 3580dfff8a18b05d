"""Rows for which a condition holds, and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.form import JUDGED

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


_PASSES = "_despina_passes"


def translate(call: Call) -> Frames:
    """Both ports, or ``out`` alone where nobody reads the other."""
    where, frame = call.operator.fields["where"], call.frame
    if not call.operator.outputs["rejected"].linked:
        return {"out": frame.where(where)}
    # Judged once for both: chance and the clock would answer otherwise the second time.
    judged = frame.selectExpr("*", f"coalesce(({where}\n), false) AS {_PASSES}")
    passed, failed = judged.where(_PASSES).drop(_PASSES), judged.where(f"NOT {_PASSES}").drop(_PASSES)
    return {"out": passed, "rejected": failed, JUDGED: judged}
