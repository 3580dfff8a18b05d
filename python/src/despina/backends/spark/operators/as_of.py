"""As-of joins on Spark: both sides in one frame, and the last right row at or before each left one in event order.

Never a correlated subquery: one sort per key, near-linear in the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.times import event_time, timed
from despina.backends.spark.views import listed, queried, quoted, without

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call
    from despina.backends.spark.plan import Operator

_KEY, _TIME, _ORDER, _IS_LEFT = "_despina_key", "_despina_time", "_despina_order", "_despina_is_left"
_LEFT, _RIGHT = "_despina_left", "_despina_right"


def join(call: Call) -> DataFrame:
    """The rows of an ``as_of`` join, inner or left."""
    operator, spark = call.operator, call.spark
    fields = operator.fields
    as_of = fields["as_of"]
    strict = as_of.get("strict", False)
    ties_compare = fields["compare_order"] and not strict
    both = " UNION ALL ".join(_side(operator, side, frame, ties=ties_compare) for side, frame in call.inputs.items())
    # Right rows go first among equals, so that "at or before" includes them; under `strict` they go last.
    side = f"{_IS_LEFT} {'DESC' if strict else 'ASC'}"
    order = [_TIME, _ORDER, side] if ties_compare else [_TIME, side, _ORDER]
    # A key with a NULL equals nothing, so its right rows are not even looked at.
    has_null = " OR ".join(f"{_KEY}.k{k} IS NULL" for k in range(len(_keys(operator, "left"))))
    found = (
        f"last_value(if({has_null}, NULL, {_RIGHT})) IGNORE NULLS OVER "
        f"(PARTITION BY {_KEY} ORDER BY {', '.join(order)} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    )
    matched = f"SELECT {_LEFT}, {_RIGHT} FROM (SELECT {_IS_LEFT}, {_LEFT}, {found} AS {_RIGHT} FROM ({both})) WHERE {_IS_LEFT}"
    if as_of.get("max_age_ms") is not None:
        left_time, right_time = (quoted(event_time(operator, port).column) for port in ("left", "right"))
        # NULL where it is more than a long counts, so that is too old too.
        age = f"try_subtract(unix_micros({_LEFT}.{left_time}), unix_micros({_RIGHT}.{right_time}))"
        matched = f"SELECT {_LEFT}, if({age} <= {as_of['max_age_ms'] * 1000}, {_RIGHT}, NULL) AS {_RIGHT} FROM ({matched})"
    if fields.get("how", "inner") == "inner":
        matched = f"SELECT * FROM ({matched}) WHERE {_RIGHT} IS NOT NULL"
    # Laid open again as relations, so that the select list finds columns with their side's name and without.
    sides = f"LATERAL VIEW inline(array({_LEFT})) `left` LATERAL VIEW inline(array({_RIGHT})) `right`"
    select = without(fields.get("select", ["*"]), [_LEFT, _RIGHT], spark)
    return queried(f"SELECT {listed(select)} FROM ({matched}) {sides}", call.inputs, spark)


def _keys(operator: Operator, side: str) -> list[str]:
    """What must be equal; where nothing must, a constant, so that all rows have one key."""
    keys: list[str] = operator.fields["keys"][side]
    return keys or ["0"]


def _side(operator: Operator, name: str, frame: DataFrame, *, ties: bool) -> str:
    """One side, as a query: its key, time, tie-breakers (of the left side NULL without ``ties``), and the whole row as a struct
    in the place of its side.
    """
    time = event_time(operator, name)
    key = ", ".join(f"{text}\n AS k{k}" for k, text in enumerate(_keys(operator, name)))
    order = "".join(f", {quoted(c)} AS o{k}" for k, c in enumerate(time.order_by))
    left = name == "left"
    columns = [
        f"struct({key}) AS {_KEY}",
        f"{quoted(time.column)} AS {_TIME}",
        f"{f'struct(0 AS o{order})' if ties or not left else 'NULL'} AS {_ORDER}",
        f"{str(left).lower()} AS {_IS_LEFT}",
        f"{'struct(*)' if left else 'NULL'} AS {_LEFT}",
        f"{'NULL' if left else 'struct(*)'} AS {_RIGHT}",
    ]
    return f"SELECT {', '.join(columns)} FROM {timed(operator, name, frame)} AS `{name}`"
