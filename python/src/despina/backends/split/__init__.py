"""A graph of which Spark runs a part: where a deployment places operators on ``spark``.

The engine runs the rest as a job. Rows that go from one part to the other take the ways of ``format("despina")``: Spark reads
sinks of the job, and writes to sources of it. If every source has an end, Spark's part is batches, of the same rows as on the
engine; else it is streams.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from despina import engine as engines
from despina.backends.split import checkpoints
from despina.backends.split.cut import Part, Parts, cut, on_spark
from despina.errors import Place, RefusedError
from despina.options import RunOptions, listed, read_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from despina.engine import Checked, Engine
    from despina.graph import Graph
    from despina.job import Job
    from despina.state import DryRun

__all__ = ["check", "dry_run", "on_spark", "start"]

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


def dry_run(graph: Graph, folder: str | Path, options: RunOptions, engine: Engine) -> DryRun:
    """What would become of the state of the engine's part. What Spark's queries have kept, Spark judges as it starts.

    :param options: with ``drop`` and ``rename``
    :raise GraphError: the graph or a part of it is refused
    :raise RefusedError: it cannot be cut so, or go on from there
    """
    _, parts = _parts(graph, replace(options, state=folder), engine)
    of_engine = replace(_engine_options(options, parts), deployment=None)
    found = _part(graph, parts.engine, parts).dry_run(folder, drop=listed(options.drop) or (), rename=options.rename,
                                                      options=of_engine, engine=engine)
    if not found.is_of_epoch:
        checkpoints.refuse_earlier(found.source)
    return found


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
    if options.state is not None:
        checkpoints.refuse_cluster(spark, options.state)
    job = _part(graph, parts.engine, parts).start(engine, _engine_options(options, parts), **given)
    job.warnings = checked.diagnostics
    part = SparkPart(spark_graph, parts, job, engine, spark, options)
    job.part = part
    part.start()
    return job


def _parts(graph: Graph, options: RunOptions, engine: Engine) -> tuple[Checked, Parts]:
    from despina.backends.spark.plan import Plan

    checked = graph.check(replace(options, deployment=None, spool=None), engine=engine)
    assert checked.plan is not None, "check raises where there is no plan"
    plan = Plan.from_json(checked.plan, graph.place_of)
    parts = cut(graph.whole(engine), plan, on_spark(options), options.parameters or {})
    checkpoints.refuse(options, parts)
    return checked, parts


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
    bytes_ = options.spool_bytes or (None if parts.streaming else ENDLESS_BYTES)
    chosen = replace(options, deployment=_engine_deployment(options), parameters=parts.engine.parameters,
                     spool=[*(listed(options.spool) or []), *parts.to_spark], spool_bytes=bytes_ if parts.to_spark else None)
    return chosen if options.state is None else PartOptions(**{each.name: getattr(chosen, each.name) for each in fields(chosen)})


class PartOptions(RunOptions):
    """Of the engine's part of a graph with a state: nobody could go on from a savepoint of it alone."""

    def for_gateway(self) -> dict[str, Any]:
        """With that word."""
        return {**super().for_gateway(), "part": True}


def _engine_deployment(options: RunOptions) -> Any:
    """Without one, if it has nothing to say to the engine."""
    given = options.deployment
    content = given if isinstance(given, Mapping) else json.loads(read_text(str(given), "deployment"))
    return given if content.get("resources") else None
