"""A checked plan as Spark DataFrames: one function per operator type, each from input frames to output frames.

What a DataFrame can say is said with DataFrames (FORMAT.md 5); folds in event order run the engine's own compiled operator
through Spark's sorted groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from despina.backends.spark import asof, folds, sources
from despina.backends.spark.failures import told_of
from despina.backends.spark.times import event_time, timed
from despina.backends.spark.views import listed, named, quoted, view, without
from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.backends.spark.plan import Operator, Plan

SINKS = ("file_sink", "collect_sink", "console_sink", "discard_sink")
_WINDOW, _PASSES, _SETTLED, _COUNT = "_despina_window", "_despina_passes", "_despina_settled", "_despina_count"
_JUDGED = "judged"
"""What a filter's two ports have in common, as if it were a port too."""

Frames = dict[str, "DataFrame"]


@dataclass(frozen=True)
class Translated:
    """A plan as frames: what reaches each sink, by sink id; ``shared`` are those that several sinks read."""

    results: Frames
    shared: list[DataFrame]


def translate(plan: Plan, spark: SparkSession, graph: folds.GraphText) -> Translated:
    """The plan as frames.

    ``spark`` is a session under the graph's settings (see ``session.settings_session``).

    :raise RefusedError: something has no Spark form
    :raise JobError: Spark refuses what it is asked for, as a file that is not there
    """
    frames: dict[tuple[str, str], DataFrame] = {}
    results: dict[str, DataFrame] = {}
    for operator in plan.operators:
        with told_of(operator):
            inputs = {port: _arriving(plan, operator.id, port, frames) for port in operator.inputs}
            if operator.type in SINKS:
                results[operator.id] = inputs["in"]
                continue
            outputs = _outputs(operator, inputs, spark, graph)
            frames |= {(operator.id, port): _at_instant(frame, graph, spark) for port, frame in outputs.items()}
    return Translated(results, _shared(plan, frames))


def _at_instant(frame: DataFrame, graph: folds.GraphText, spark: SparkSession) -> DataFrame:
    """The frame with the graph's one instant for ``now()``: Spark would look at its clock once for each query."""
    from pyspark.sql import DataFrame as Frame

    jvm = spark._jvm
    assert jvm is not None
    return Frame(jvm.io.despina.expr.catalyst.JobInstant.at(frame._jdf, graph.instant_micros), spark)


def _shared(plan: Plan, frames: dict[tuple[str, str], DataFrame]) -> list[DataFrame]:
    """The frames at which the ways to several sinks part."""
    behind = plan.sinks_behind()
    shared = []
    for (operator, port), frame in frames.items():
        readers = [k.target for k in plan.links if k.source == operator and port in (k.source_port, _JUDGED)]
        if len(readers) > 1 and len(set[str]().union(*(behind[reader] for reader in readers))) > 1:
            shared.append(frame)
    return shared


def _arriving(plan: Plan, operator: str, port: str, frames: dict[tuple[str, str], DataFrame]) -> DataFrame:
    links = plan.links_into(operator, port)
    for link in links:
        if (link.source, link.source_port) not in frames:
            raise RefusedError(
                "no_spark_form",
                f"port {link.source}.{link.source_port} has no Spark form",
                hint="only `out`, `rejected` and the bad records of a source exist on Spark",
            )
    return reduce(lambda a, b: a.unionByName(b), (frames[k.source, k.source_port] for k in links))


def _outputs(operator: Operator, inputs: Frames, spark: SparkSession, graph: folds.GraphText) -> Frames:
    if operator.type == "generator_source":
        return {"out": sources.generator(operator, spark)}
    if operator.type == "file_source":
        return sources.files(operator, spark)
    if operator.type == "join":
        return {"out": _join(operator, inputs["left"], inputs["right"], spark)}
    frame = inputs["in"]
    if operator.type == "filter":
        return _filter(operator, frame)
    if operator.type == "scan" or _is_per_packet(operator):
        return {"out": folds.fold(operator, frame, spark, graph)}
    rule = _PLAIN.get(operator.type)
    if rule is None:
        raise RefusedError("no_spark_form", f"`{operator.type}` has no Spark form (operator {operator.id})")
    return {"out": rule(operator, frame, spark)}


def _filter(operator: Operator, frame: DataFrame) -> Frames:
    where = operator.fields["where"]
    if not operator.outputs["rejected"].linked:
        return {"out": frame.where(where)}
    # Judged once for both: chance and the clock would answer otherwise the second time.
    judged = frame.selectExpr("*", f"coalesce(({where}\n), false) AS {_PASSES}")
    passed, failed = judged.where(_PASSES).drop(_PASSES), judged.where(f"NOT {_PASSES}").drop(_PASSES)
    return {"out": passed, "rejected": failed, _JUDGED: judged}


def _is_per_packet(operator: Operator) -> bool:
    fields = operator.fields
    trailing = fields.get("window", {}).get("type") == "trailing"
    return operator.type == "aggregate" and (trailing or fields.get("emit") == "each")


def _same(operator: Operator, frame: DataFrame, spark: SparkSession) -> DataFrame:
    return frame


def _project(operator: Operator, frame: DataFrame, spark: SparkSession) -> DataFrame:
    return frame.selectExpr(*operator.fields["select"])


def _explode(operator: Operator, frame: DataFrame, spark: SparkSession) -> DataFrame:
    return _settled(frame.selectExpr("*", f"explode({operator.fields['of']}\n) AS {quoted(operator.fields['as'])}"))


def _settled(frame: DataFrame) -> DataFrame:
    """The same rows. No condition on them is asked before they are made, of what becomes none of them, as Spark would have it.

    There it might fail where the engine does not. Spark moves no condition below a column that is not the same each time.
    """
    columns = [quoted(column) for column in frame.columns]
    return frame.selectExpr("*", f"monotonically_increasing_id() AS {_SETTLED}").where(f"{_SETTLED} >= 0").selectExpr(*columns)


def _aggregate(operator: Operator, frame: DataFrame, spark: SparkSession) -> DataFrame:
    """Grouped, perhaps by a tumbling or sliding window; one row a group."""
    fields = operator.fields
    keys = [named(text, spark) for text in fields.get("group_by", [])]
    # By expressions and by their names, for the select list may use either.
    frame, added = _with_new(frame, {name: sql for sql, name in keys if name is not None})
    groups = [*(sql for sql, _ in keys), *added]
    window: dict[str, Any] | None = fields.get("window")
    names: list[str] = []
    if window is not None:
        frame, names = _windowed(operator, frame, window)
        groups += names
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
    jvm = spark._jvm
    assert jvm is not None
    return Frame(jvm.io.despina.expr.catalyst.FirstAndLast.by(rows._jdf, [time.column, *time.order_by]), spark)


def _windowed(operator: Operator, frame: DataFrame, window: dict[str, Any]) -> tuple[DataFrame, list[str]]:
    """The frame with the columns ``window`` and ``window_time``, a row per window that it falls into, and what to group by."""
    time = event_time(operator, "in")
    size, slide = window["size_ms"], window.get("slide_ms", window["size_ms"])
    spans = [f"'{ms} milliseconds'" for ms in (size, slide, window.get("offset_ms", 0) % slide)]
    columns = {column.lower() for column in frame.columns}
    # A stream's own `window` leaves the select list none to name; the rows are grouped all the same.
    name = _WINDOW if "window" in columns else "window"
    frame, (found,) = _with_new(frame, {name: f"window({', '.join([quoted(time.column), *spans])})"})
    # Spark's window_time() wants a query around this one; its value is the window's end less a microsecond.
    frame, also = _with_new(frame, {"window_time": f"{found}.end - INTERVAL '0.000001' SECOND"})
    return frame, [found, *also]


def _with_new(frame: DataFrame, columns: dict[str, str]) -> tuple[DataFrame, list[str]]:
    """The frame with more columns, name to SQL, and their names; one that it has already stays, and is the one that is meant."""
    taken = {column.lower() for column in frame.columns}
    new = {quoted(name): sql for name, sql in columns.items() if name.lower() not in taken}
    return frame.selectExpr("*", *(f"{sql}\n AS {name}" for name, sql in new.items())), list(new)


def _join(operator: Operator, left: DataFrame, right: DataFrame, spark: SparkSession) -> DataFrame:
    fields = operator.fields
    if fields.get("as_of") is not None:
        return asof.join(operator, left, right, spark)
    sides = {"left": left, "right": right}
    views = {side: view(timed(operator, side, frame)) for side, frame in sides.items()}
    times = {side: f"unix_micros(`{side}`.{quoted(event_time(operator, side).column)})" for side in sides}
    between = fields["between_ms"]
    # Times that lie further apart than a long counts are not near, and no error.
    near = f"try_subtract({times['right']}, {times['left']}) BETWEEN {between['from'] * 1000} AND {between['to'] * 1000}"
    if "on" in fields:
        # As on the engine no pair out of bounds is judged: it might fail. Spark takes ANDs apart, and judges what is of one
        # side before it joins, so the condition stands where Spark can neither see an AND nor make one.
        near = f"coalesce(if({near}, ({fields['on']}\n), NULL), false)"
    # What must be equal is of one side each, and worked out for every row on the engine too.
    equal = [f"({a}\n) = ({b}\n)" for a, b in zip(fields["keys"]["left"], fields["keys"]["right"], strict=True)]
    how = {"inner": "INNER", "left": "LEFT"}[fields.get("how", "inner")]
    return _settled(spark.sql(
        f"SELECT {listed(fields.get('select', ['*']))} "
        f"FROM {views['left']} AS `left` {how} JOIN {views['right']} AS `right` ON {' AND '.join([*equal, near])}"
    ))


_PLAIN: dict[str, Callable[[Operator, DataFrame, SparkSession], DataFrame]] = {
    "relay": _same,
    "union": _same,
    "project": _project,
    "explode": _explode,
    "aggregate": _aggregate,
}
