"""Pairs of two streams by event time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark import streamed
from despina.backends.spark.operators import as_of
from despina.backends.spark.times import event_time, timed
from despina.backends.spark.views import listed, queried, quoted, settled

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """An as-of join or an interval join."""
    if call.is_streaming:
        return {"out": streamed.join(call)}
    return {"out": _near(call) if call.operator.fields.get("as_of") is None else as_of.join(call)}


def _near(call: Call) -> DataFrame:
    operator, fields = call.operator, call.operator.fields
    sides = {side: timed(operator, side, frame) for side, frame in call.inputs.items()}
    times = {side: f"unix_micros(`{side}`.{quoted(event_time(operator, side).column)})" for side in call.inputs}
    between = fields["between_ms"]
    # Times that lie further apart than a long counts are not near, and no error.
    near = f"try_subtract({times['right']}, {times['left']}) BETWEEN {between['from'] * 1000} AND {between['to'] * 1000}"
    if "on" in fields:
        # As on the engine no pair out of bounds is judged: it might fail. Spark takes ANDs apart, and judges what is of one
        # side before it joins, so the condition stands where Spark can neither see an AND nor make one.
        near = f"coalesce(if({near}, ({fields['on']}\n), NULL), false)"
    # What must be equal is of one side each, and worked out for every row on the engine too.
    equal = [f"({a}\n) = ({b}\n)" for a, b in zip(fields["keys"]["left"], fields["keys"]["right"], strict=True)]
    how = {"inner": "INNER", "left": "LEFT", "right": "RIGHT", "full": "FULL"}[fields.get("how", "inner")]
    return settled(queried(
        f"SELECT {listed(fields.get('select', ['*']))} "
        f"FROM {sides['left']} AS `left` {how} JOIN {sides['right']} AS `right` ON {' AND '.join([*equal, near])}",
        call.inputs, call.spark
    ))
