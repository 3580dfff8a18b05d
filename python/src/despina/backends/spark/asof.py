"""As-of joins on Spark: both sides in one frame, and the last right row at or before each left one in event order.

Never a correlated subquery: one sort per key, near-linear in the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.views import listed, quoted, view

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.backends.spark.plan import Operator, Port

_KEY, _TIME, _ORDER, _IS_LEFT = "_despina_key", "_despina_time", "_despina_order", "_despina_is_left"
_LEFT, _RIGHT = "_despina_left", "_despina_right"


def join(operator: Operator, left: DataFrame, right: DataFrame, spark: SparkSession) -> DataFrame:
    """The rows of an ``as_of`` join, inner or left."""
    fields = operator.fields
    left_port, right_port = operator.inputs["left"], operator.inputs["right"]
    as_of = fields["as_of"]
    strict = as_of.get("strict", False)
    ties_compare = fields["compare_order"] and not strict
    lefts = _side("left", left, left_port, fields["keys"]["left"], ties=ties_compare, spark=spark)
    rights = _side("right", right, right_port, fields["keys"]["right"], ties=True, spark=spark)
    # Right rows go first among equals, so that "at or before" includes them; under `strict` they go last.
    side = f"{_IS_LEFT} {'DESC' if strict else 'ASC'}"
    order = [_TIME, _ORDER, side] if ties_compare else [_TIME, side, _ORDER]
    # A key with a NULL equals nothing, so its right rows are not even looked at.
    found = (
        f"last_value(if({_has_null(_KEY, len(fields['keys']['left']))}, NULL, {_RIGHT})) IGNORE NULLS OVER "
        f"(PARTITION BY {_KEY} ORDER BY {', '.join(order)} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    )
    both = view(lefts.unionByName(rights, allowMissingColumns=True))
    matched = spark.sql(f"SELECT {_IS_LEFT}, {_LEFT}, {found} AS {_RIGHT} FROM {both}").where(_IS_LEFT)
    if as_of.get("max_age_ms") is not None:
        age = f"unix_micros({_LEFT}.{_time(left_port)}) - unix_micros({_RIGHT}.{_time(right_port)})"
        matched = matched.selectExpr(_LEFT, f"if({age} <= {as_of['max_age_ms'] * 1000}, {_RIGHT}, NULL) AS {_RIGHT}")
    if fields.get("how", "inner") == "inner":
        matched = matched.where(f"{_RIGHT} IS NOT NULL")
    # Laid open again as relations, so that the select list finds columns with their side's name and without.
    sides = f"LATERAL VIEW inline(array({_LEFT})) `left` LATERAL VIEW inline(array({_RIGHT})) `right`"
    select = ["`left`.*, `right`.*" if text.partition("--")[0].strip() == "*" else text for text in fields.get("select", ["*"])]
    return spark.sql(f"SELECT {listed(select)} FROM {view(matched)} {sides}")


def _time(port: Port) -> str:
    assert port.event_time is not None, "the planner refuses a join without event time"
    return quoted(port.event_time.column)


def _has_null(key: str, size: int) -> str:
    return " OR ".join(f"{key}.k{k} IS NULL" for k in range(size))


def _side(
    name: str, frame: DataFrame, port: Port, keys: list[str], *, ties: bool, spark: SparkSession
) -> DataFrame:
    """One side: its key, time, tie-breakers (if ``ties``), and the whole row as a struct named like the side."""
    assert port.event_time is not None, "the planner refuses a join without event time"
    key = ", ".join(f"{text}\n AS k{k}" for k, text in enumerate(keys))
    order = "".join(f", {quoted(c)} AS o{k}" for k, c in enumerate(port.event_time.order_by))
    columns = [
        f"struct({key}) AS {_KEY}",
        f"{_time(port)} AS {_TIME}",
        *([f"struct(0 AS o{order}) AS {_ORDER}"] if ties else []),
        f"{str(name == 'left').lower()} AS {_IS_LEFT}",
        f"struct(*) AS {_LEFT if name == 'left' else _RIGHT}",
    ]
    return spark.sql(f"SELECT {', '.join(columns)} FROM {view(frame)} AS `{name}`")
