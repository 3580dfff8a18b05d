"""The first rows of each group and window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from despina.backends.spark import streamed
from despina.backends.spark.times import event_time
from despina.backends.spark.views import listed, quoted, without
from despina.backends.spark.windows import bounded, window_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call, Frames


_RANK, _WINDOW = "_despina_rank", "_despina_window"


def translate(call: Call) -> Frames:
    """Numbers each group and window by the order; in streams the engine's own operator, as a stateful processor."""
    if call.is_streaming:
        return {"out": streamed.fold(call)}
    time = event_time(call.operator, "in")
    order = [*call.operator.fields["by"], quoted(time.column), *map(quoted, time.order_by)]
    return {"out": first(call, call.operator.fields, order)}


def first(call: Call, fields: Mapping[str, Any], order: Sequence[str]) -> DataFrame:
    """The first ``n`` rows of each group and window in that order; without a window of all rows that have an event time."""
    time = quoted(event_time(call.operator, "in").column)
    columns, window = [quoted(column) for column in call.frame.columns], fields.get("window")
    rows = call.frame.where(f"{time} IS NOT NULL")
    if window is not None:
        rows = rows.selectExpr("*", f"{window_of(call.operator, window=window)} AS {_WINDOW}")
    groups = [*([_WINDOW] if window is not None else []), *fields.get("group_by", [])]
    partition = f"PARTITION BY {listed(groups)} " if groups else ""
    numbered = rows.selectExpr("*", f"row_number() OVER ({partition}ORDER BY {listed(order)}) AS {_RANK}")
    kept = numbered.where(f"{_RANK} <= {fields['n']}")
    if "select" not in fields:
        return kept.selectExpr(*columns)
    if window is None:
        return kept.selectExpr(*columns).selectExpr(*fields["select"])
    kept, new = bounded(kept, columns, _WINDOW)
    return kept.selectExpr(*without(fields["select"], new, call.spark))
