"""The same graph on Spark: as DataFrames (:func:`frames`), or run to its sinks (:func:`run`)."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from despina import function_texts
from despina.backends.spark import given, sinks
from despina.backends.spark.failures import told_if_lost
from despina.backends.spark.folds import GraphText
from despina.backends.spark.form import Form
from despina.backends.spark.operators import SINKS
from despina.backends.spark.plan import Plan
from despina.backends.spark.session import SparkDriver, in_session, keep_state, settings_session, start
from despina.backends.spark.translate import Translated, translate
from despina.backends.spark.views import kept
from despina.engine import Engine
from despina.errors import NoSinkError
from despina.options import RunOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.graph import Graph

__all__ = ["frames", "run", "start"]


@told_if_lost()
def frames(graph: Graph, spark: SparkSession, options: RunOptions, inputs: Mapping[str, DataFrame] | None = None,
           streaming: bool = False) -> Results:
    """The frame that reaches each sink, by sink id, made under the graph's settings.

    :param options: ``parameters`` and ``modules`` count
    :param inputs: what takes the place of sources, by their ids; see :mod:`despina.backends.spark.given`
    :param streaming: the frames are streams, and so are those of inputs
    :raise GraphError: the graph is refused, or something in it has no Spark form
    :raise RefusedError: the columns of an input are not the source's, or it is of the other form; or the session is one of Spark
        Connect
    :raise JobError: Spark refuses what it is asked for, as a file that is not there, or its JVM has ended
    """
    form = Form.STREAMING if streaming else Form.BATCH
    return Results(in_session(spark, planned(graph, spark, options, inputs or {}, form)[1].results))


class Results(dict[str, "DataFrame"]):
    """Frames by the ids of sinks."""

    def __missing__(self, sink: str) -> DataFrame:
        raise NoSinkError(sink, self)


@told_if_lost()
def run(graph: Graph, spark: SparkSession, options: RunOptions | None = None) -> dict[str, Any]:
    """Runs the graph to its sinks and gives a report of the same form as the engine, as far as Spark knows it.

    :param options: ``parameters`` and ``modules`` count
    :raise GraphError: the graph is refused, or something in it has no Spark form
    :raise JobError: Spark failed, or its JVM has ended
    """
    began = time.monotonic()
    plan, made = planned(graph, spark, options or RunOptions(), {}, Form.BATCH)
    targets = [operator for operator in plan.operators if operator.type in SINKS]
    for operator in targets:
        sinks.check(operator, spark)
    with ExitStack() as caches:
        for frame in made.shared:
            caches.enter_context(kept(frame))
        counts = {o.id: {"packets_in": sinks.write(o, made.results[o.id], made.graph, plan.before(o.id))} for o in targets}
    return {"graph": plan.name, "on": "spark", "elapsed_s": time.monotonic() - began, "operators": counts}


def planned(
    graph: Graph, spark: SparkSession, options: RunOptions, inputs: Mapping[str, DataFrame], form: Form
) -> tuple[Plan, Translated]:
    """The graph's plan, and its frames in a session under the graph's settings.

    :raise GraphError: the graph is refused, or something in it has no Spark form
    :raise RefusedError: an input does not fit
    """
    streaming = form is Form.STREAMING
    instant = time.time_ns() // 1000
    with closing(SparkDriver(spark)) as driver:     # which keeps the plan for the folds
        engine = Engine(driver, "spark")
        checked = graph.check(options, for_spark=True, streaming=streaming, engine=engine, inputs=list(inputs),
                              instant_micros=instant)
        whole = graph.whole(engine).text
    assert checked.plan is not None, "check raises where there is no plan"
    given.check(inputs, checked, spark, form)
    plan = Plan.from_json(checked.plan, graph.place_of)
    words = function_texts.added(options.for_gateway(), whole, graph.file, options.modules)
    if not (streaming and any(operator.type == "python" and operator.keeps_state for operator in plan.operators)):
        words = function_texts.unsent(words)        # Spark's own workers find modules as they find all others
    told = json.dumps(words | {"for_spark": True, "streaming": streaming, "instant_micros": instant, "inputs": list(inputs)})
    text = GraphText(whole, graph.file, told, instant, plan.buckets)
    session = settings_session(spark, plan)
    if streaming and any(operator.keeps_state for operator in plan.operators):
        keep_state(spark, session)
    return plan, translate(plan, session, text, inputs, form)
