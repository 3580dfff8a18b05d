"""The rows of each case, and those of none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.form import JUDGED

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


_CASE = "_despina_case"


def translate(call: Call) -> Frames:
    """A port for each case, and ``otherwise``."""
    cases: dict[str, str] = call.operator.fields["cases"]
    whens = [(port, f"coalesce(({condition}\n), false)") for port, condition in cases.items()]
    # Judged once for all ports: chance and the clock would answer otherwise the next time.
    if call.operator.fields["match"] == "all":
        judged = call.frame.selectExpr("*", *(f"{when} AS {_CASE}_{k}" for k, (_, when) in enumerate(whens)))
        made = [f"{_CASE}_{k}" for k in range(len(whens))]
        chosen = dict(zip(cases, made, strict=True)) | {"otherwise": f"NOT ({' OR '.join(made)})"}
    else:
        branches = " ".join(f"WHEN {when} THEN {k}" for k, (_, when) in enumerate(whens))
        judged = call.frame.selectExpr("*", f"CASE {branches} ELSE {len(whens)} END AS {_CASE}")
        made = [_CASE]
        chosen = {port: f"{_CASE} = {k}" for k, port in enumerate([*cases, "otherwise"])}
    ports = {port: judged.where(condition).drop(*made) for port, condition in chosen.items()}
    return ports | {JUDGED: judged}
