"""Pairs of two streams by event time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark import streamed
from despina.backends.spark.operators import as_of
from despina.backends.spark.times import event_time, timed
from despina.backends.spark.views import listed, queried, quoted, settled, without
from despina.backends.spark.windows import window_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call, Frames


_WINDOW, _LEFT, _RIGHT = "_despina_window", "_despina_left", "_despina_right"


def translate(call: Call) -> Frames:
    """An as-of join, an interval join or a windowed join; in streams the engine's own operator, as a stateful processor."""
    if call.is_streaming:
        return {"out": streamed.join(call)}
    fields = call.operator.fields
    return {"out": as_of.join(call) if "as_of" in fields else _windowed(call) if "window" in fields else _near(call)}


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
    return settled(queried(
        f"SELECT {listed(fields.get('select', ['*']))} "
        f"FROM {sides['left']} AS `left` {_how(call)} {sides['right']} AS `right` ON {' AND '.join([*_equal(call), near])}",
        call.inputs, call.spark
    ))


def _how(call: Call) -> str:
    return f"{call.operator.fields.get('how', 'inner').upper()} JOIN"


def _equal(call: Call) -> list[str]:
    """What must be equal. It is of one side each, and worked out for every row on the engine too."""
    keys = call.operator.fields["keys"]
    return [f"({a}\n) = ({b}\n)" for a, b in zip(keys["left"], keys["right"], strict=True)]


def _windowed(call: Call) -> DataFrame:
    operator, fields = call.operator, call.operator.fields
    sides = {side: f"(SELECT *, {window_of(operator, side)} AS {_WINDOW} FROM {quoted(side)})" for side in call.inputs}
    same = f"`left`.{_WINDOW} = `right`.{_WINDOW}"
    if "on" in fields:  # as above, judged within a window alone
        same += f" AND coalesce(if({same}, ({fields['on']}\n), NULL), false)"
    rows = {side: f"struct({listed(f'`{side}`.{quoted(c)}' for c in frame.columns)})" for side, frame in call.inputs.items()}
    both = (
        f"SELECT {rows['left']} AS {_LEFT}, {rows['right']} AS {_RIGHT}, "
        f"coalesce(`left`.{_WINDOW}, `right`.{_WINDOW}) AS `window` "
        f"FROM {sides['left']} AS `left` {_how(call)} {sides['right']} AS `right` ON {' AND '.join([*_equal(call), same])}"
    )
    # Spark's window_time() wants a query around this one; its value is the window's end less a microsecond.
    joined = f"SELECT *, `window`.end - INTERVAL '0.000001' SECOND AS window_time FROM ({both})"
    # Laid open again as relations, so that the select list finds columns with their side's name and without.
    opened = f"LATERAL VIEW inline(array({_LEFT})) `left` LATERAL VIEW inline(array({_RIGHT})) `right`"
    select = fields.get("select", ["`left`.*", "`right`.*"])
    columns = listed(without(select, [_LEFT, _RIGHT, "`window`", "window_time"], call.spark))
    return settled(queried(f"SELECT {columns} FROM ({joined}) {opened}", call.inputs, call.spark))
