"""A graph of which Spark runs a part: where a deployment places operators on ``spark``.

The engine runs the rest as a job. Rows that go from one part to the other take the ways of ``format("despina")``: Spark reads
sinks of the job, and writes to sources of it. If every source has an end, Spark's part is batches, of the same rows as on the
engine; else it is streams.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from despina import engine as engines
from despina.backends.split.cut import Part, Parts, cut, on_spark
from despina.errors import Place, RefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from despina.engine import Checked, Engine
    from despina.graph import Graph
    from despina.job import Job
    from despina.options import RunOptions

__all__ = ["check", "on_spark", "start"]

ENDLESS_BYTES = 1 << 62
"""Of a spool whose rows Spark reads to their end, and gives back then."""


def check(graph: Graph, options: RunOptions, engine: Engine | None = None) -> Checked:
    """Checks the graph as a whole and both parts.

    :return: what is found in the whole graph, and its plan
    :raise GraphError: the graph or a part of it is refused, as where Spark has no form of an operator
    :raise RefusedError: it cannot be cut so
    """
    asked = engine or engines.start(coordinates_only=True)
    checked, parts = _parts(graph, options, asked)
    _part(graph, parts.engine, parts).check(_engine_options(options, parts), engine=asked)
    _spark_part(graph, parts, options, asked)
    return checked


def _session() -> SparkSession:
    """The session that runs in this process, or one that is started on this machine."""
    from pyspark.sql import SparkSession

    from despina.backends import spark as backend
    return SparkSession.getActiveSession() or backend.start()


def start(graph: Graph, engine: Engine, options: RunOptions, spark: SparkSession | None, **given: Any) -> Job:
    """Starts both parts.

    :param spark: None for the session that runs in this process, or one that is started on this machine
    :param given: as for :meth:`despina.graph.Graph.start`; ``inputs`` are of the engine's sources
    :raise GraphError: the graph or a part of it is refused
    :raise RefusedError: it cannot be cut so
    """
    from despina.backends.split.part import SparkPart

    checked, parts = _parts(graph, options, engine)
    spark_graph = _spark_part(graph, parts, options, engine)
    spark = spark or _session()
    job = _part(graph, parts.engine, parts).start(engine, _engine_options(options, parts), **given)
    job.warnings = checked.diagnostics
    part = SparkPart(spark_graph, parts, job, engine, spark, options.modules)
    job.part = part
    part.start()
    return job


def _parts(graph: Graph, options: RunOptions, engine: Engine) -> tuple[Checked, Parts]:
    from despina.backends.spark.plan import Plan

    if options.state is not None:
        raise RefusedError("state", "a graph of which Spark runs a part keeps no state: Spark's part would begin anew where the "
                           "engine's goes on, so rows would be lost or come twice",
                           "leave `state` out, place all operators on the engine, or make two of it: a graph with a state, and a "
                           "query with a checkpoint of its own that reads its sinks and writes to its sources")
    checked = graph.check(replace(options, deployment=None, spool=None), engine=engine)
    assert checked.plan is not None, "check raises where there is no plan"
    plan = Plan.from_json(checked.plan, graph.place_of)
    return checked, cut(graph.whole(engine), plan, on_spark(options), options.parameters or {})


def _spark_part(graph: Graph, parts: Parts, options: RunOptions, engine: Engine) -> Graph:
    """Spark's part, checked as far as that needs no Spark.

    :raise GraphError: something in it has no form there
    """
    made = _part(graph, parts.spark, parts)
    made.check(replace(options, deployment=None, spool=None, parameters=parts.spark.parameters), for_spark=True,
               streaming=parts.streaming, engine=engine, inputs=list(parts.to_spark))
    kept = [id_ for id_, operator in parts.spark.content["operators"].items() if operator["type"] == "collect_sink"]
    if kept and parts.streaming:
        raise RefusedError("place", f"`{kept[0]}` collects rows of a stream, which Spark gives to nobody",
                           "leave it on the engine, whose job hands them out", parts.places[kept[0]])
    return made


def _part(graph: Graph, part: Part, parts: Parts) -> Graph:
    """A graph of its own, whose errors are told at the lines of the whole one."""
    from despina.graph import Graph as Made

    lines = {"": Place(graph.file)} | {f"/operators/{id_}": parts.places[id_] for id_ in part.content["operators"]}
    return Made(json.dumps(part.content), graph.file, lines)


def _engine_options(options: RunOptions, parts: Parts) -> RunOptions:
    from despina.options import listed

    bytes_ = options.spool_bytes or (None if parts.streaming else ENDLESS_BYTES)
    return replace(options, deployment=_engine_deployment(options), parameters=parts.engine.parameters,
                   spool=[*(listed(options.spool) or []), *parts.to_spark], spool_bytes=bytes_ if parts.to_spark else None)


def _engine_deployment(options: RunOptions) -> Any:
    """Without one, if it has nothing to say to the engine."""
    from despina.options import read_text

    given = options.deployment
    content = given if isinstance(given, Mapping) else json.loads(read_text(str(given), "deployment"))
    return given if content.get("resources") else None
