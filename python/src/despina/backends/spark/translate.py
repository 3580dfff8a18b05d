"""A checked plan as Spark DataFrames: ``operators`` has a function for each type, from input frames to output frames.

What a DataFrame can say is said with DataFrames; folds in event order run the engine's own compiled operator, in batch through
Spark's sorted groups, in streams as a stateful processor of Spark's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from despina.backends.spark import given, streamed, streams
from despina.backends.spark.facade import facade
from despina.backends.spark.failures import told_of
from despina.backends.spark.folds import Folds, ports
from despina.backends.spark.form import CALLED, JUDGED, Call, Form, Frames
from despina.backends.spark.operators import OPERATORS, SINKS
from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.backends.spark.folds import GraphText
    from despina.backends.spark.plan import Plan

@dataclass(frozen=True)
class Translated:
    """A plan as frames: what reaches each sink, by sink id; ``shared`` are those that are to be worked out once."""

    results: Frames
    shared: list[DataFrame]
    graph: GraphText


def translate(plan: Plan, spark: SparkSession, graph: GraphText, inputs: Mapping[str, DataFrame],
              form: Form = Form.BATCH) -> Translated:
    """The plan as frames.

    ``spark`` is a session under the graph's settings (see ``session.settings_session``); ``inputs`` take the place of what the
    sources of these ids would read.

    :raise RefusedError: something has no Spark form
    :raise JobError: Spark refuses what it is asked for, as a file that is not there
    """
    frames: dict[tuple[str, str], DataFrame] = {}
    results: dict[str, DataFrame] = {}
    folds = Folds(plan, graph)
    for operator in plan.operators:
        with told_of(operator):
            arriving = {port: _arriving(plan, operator.id, port, frames) for port in operator.inputs}
            if form is Form.STREAMING:
                arriving = {port: streams.marked(frame, operator.inputs[port].event_time) for port, frame in arriving.items()}
            if operator.type in SINKS:
                results[operator.id] = _at_instant(arriving["in"], graph, spark)
                continue
            call = Call(operator, arriving, spark, graph, folds, form)
            outputs = given.translate(call, inputs[operator.id]) if operator.id in inputs else _outputs(call)
            if form is Form.STREAMING:
                outputs = streams.timed(operator, outputs)
            frames |= {(operator.id, port): frame for port, frame in outputs.items()}
    return Translated(results, [_at_instant(frame, graph, spark) for frame in _shared(plan, frames)], graph)


def _at_instant(frame: DataFrame, graph: GraphText, spark: SparkSession) -> DataFrame:
    """The frame with the graph's one instant for ``now()``: Spark would look at its clock once for each query."""
    from pyspark.sql import DataFrame as Frame

    return Frame(facade(spark).at(frame._jdf, graph.instant_micros), spark)


def _shared(plan: Plan, frames: dict[tuple[str, str], DataFrame]) -> list[DataFrame]:
    """The frames at which the ways to several sinks part, and what a Python function gives for both of its ports."""
    behind = plan.sinks_behind()
    shared = []
    for (operator, port), frame in frames.items():
        readers = [k.target for k in plan.links if k.source == operator and port in (k.source_port, JUDGED, CALLED)]
        sinks = set[str]().union(*(behind[reader] for reader in readers))
        if len(readers) > 1 and (len(sinks) > 1 or port == CALLED):
            shared.append(frame)
    return shared


def _arriving(plan: Plan, operator: str, port: str, frames: dict[tuple[str, str], DataFrame]) -> DataFrame:
    links = plan.links_into(operator, port)
    for link in links:
        if (link.source, link.source_port) not in frames:
            raise RefusedError(
                "no_spark_form",
                f"port {link.source}.{link.source_port} has no Spark form",
                hint="only `out`, `rejected`, the ports of a `route`, and `errors` of sources and Python functions exist there",
            )
    return reduce(lambda a, b: a.unionByName(b), (frames[k.source, k.source_port] for k in links))


def _outputs(call: Call) -> Frames:
    operator = call.operator
    if operator.is_fold:
        return _folded(call)
    translation = OPERATORS.get(operator.type)
    if translation is None:
        raise RefusedError("no_spark_form", f"`{operator.type}` has no Spark form (operator {operator.id})")
    return translation(call)


def _folded(call: Call) -> Frames:
    """The engine's own operator, run through Spark's sorted groups, or as a stateful processor."""
    if call.is_streaming:
        return {port: streamed.fold(call, port) for port in ports(call.operator)}
    return call.folds.ports(call)
