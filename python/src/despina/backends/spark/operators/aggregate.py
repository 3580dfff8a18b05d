"""Aggregates over windows, or over the whole stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark import streamed
from despina.backends.spark.facade import facade
from despina.backends.spark.streams import without_mark
from despina.backends.spark.views import apart, listed, named, quoted, view, without
from despina.backends.spark.windows import window_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.backends.spark.form import Call, Frames
    from despina.backends.spark.plan import Operator


_WINDOW, _COUNT = "_despina_window", "_despina_count"


def translate(call: Call) -> Frames:
    """A row for each group."""
    rows = _groups(call)
    return {"out": streamed.fold(call) if call.is_streaming and _has_distinct(rows, call.spark) else rows}


def _has_distinct(rows: DataFrame, spark: SparkSession) -> bool:
    return bool(facade(spark).aggregatesDistinct(rows._jdf))


def _groups(call: Call) -> DataFrame:
    """Grouped, perhaps by a tumbling or sliding window; one row a group."""
    operator, spark = call.operator, call.spark
    frame = apart(call.frame, operator.id) if call.is_streaming else call.frame
    fields = operator.fields
    keys = [named(text, spark) for text in fields.get("group_by", [])]
    # By expressions and by their names, for the select list may use either.
    frame, added = _with_new(frame, {name: sql for sql, name in keys if name is not None})
    groups = [*(sql for sql, _ in keys), *added]
    names: list[str] = []
    if "window" in fields:
        frame, names = _windowed(operator, frame)
        groups += names
        if call.is_streaming:
            # Spark takes a group's time from the one key that is marked.
            frame = without_mark(frame, names[0].strip("`"))
    select = without(fields["select"], [*added, *(name for name in names if name == quoted(_WINDOW))], spark)
    if groups:
        rows = spark.sql(f"SELECT {listed(select)} FROM {view(frame)} GROUP BY {listed(groups)}")
    else:   # without a key Spark takes a select list for an aggregate's by its functions alone, and it may have none
        rows = spark.sql(f"SELECT {listed([*select, f'count(*) AS {_COUNT}'])} FROM {view(frame)}").drop(_COUNT)
    return _by_event_order(operator, rows, spark)


def _by_event_order(operator: Operator, rows: DataFrame, spark: SparkSession) -> DataFrame:
    """The aggregate with ``first`` and ``last`` as the engine has them: by event order, where tie-breakers make it total."""
    from pyspark.sql import DataFrame as Frame

    time = operator.inputs["in"].event_time
    if time is None or not time.order_by:
        return rows
    return Frame(facade(spark).firstAndLast(rows._jdf, [time.column, *time.order_by]), spark)


def _windowed(operator: Operator, frame: DataFrame) -> tuple[DataFrame, list[str]]:
    """The frame with the columns ``window`` and ``window_time``, a row per window that it falls into, and what to group by."""
    columns = {column.lower() for column in frame.columns}
    # A stream's own `window` leaves the select list none to name; the rows are grouped all the same.
    name = _WINDOW if "window" in columns else "window"
    window = operator.fields["window"]
    frame, (found,) = _with_new(frame, {name: window_of(operator)})
    if "fire" in window or "late_within_ms" in window:
        facts = f"'start', {found}.start, 'end', {found}.end, 'revision', 0L, 'final', true"
        frame = frame.selectExpr(f"* EXCEPT ({found})", f"named_struct({facts}) AS {found}")
    # Spark's window_time() wants a query around this one; its value is the window's end less a microsecond.
    frame, also = _with_new(frame, {"window_time": f"{found}.end - INTERVAL '0.000001' SECOND"})
    return frame, [found, *also]


def _with_new(frame: DataFrame, columns: dict[str, str]) -> tuple[DataFrame, list[str]]:
    """The frame with more columns, name to SQL, and their names; one that it has already stays, and is the one that is meant."""
    taken = {column.lower() for column in frame.columns}
    new = {quoted(name): sql for name, sql in columns.items() if name.lower() not in taken}
    return frame.selectExpr("*", *(f"{sql}\n AS {name}" for name, sql in new.items())), list(new)
