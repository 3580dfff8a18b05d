"""Cuts a graph in two: a link from one part to the other becomes a sink there and a source here.

The engine's part has a sink for each stream that Spark reads, and a ``spark_source`` for each that it gets back. Spark's part has
a source and a sink for each of the same ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from despina.errors import Place, RefusedError
from despina.options import read_text

if TYPE_CHECKING:
    from despina.backends.spark.plan import EventTime, Plan, Port
    from despina.graph import Graph
    from despina.options import RunOptions

SPARK = "spark"
"""What ``place`` says for an operator that Spark runs."""


@dataclass(frozen=True)
class Part:
    """One part of a graph: the content of a graph file, and the values of the parameters that it has."""

    content: dict[str, Any]
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Parts:
    """Both parts of a graph.

    :ivar to_spark: ids of the engine's sinks whose rows Spark reads, and by how many of its queries: each of its sinks is one
    :ivar to_engine: by id of the engine's source, how often the rows in it have gone from one part to the other: Spark gives
        those that have done so less often first
    :ivar depths: the same of Spark's own sinks
    :ivar streaming: whether a source has no end
    :ivar places: where the user wrote each operator; of an end of a stream, the operator that it comes from
    """

    engine: Part
    spark: Part
    to_spark: Mapping[str, int]
    to_engine: Mapping[str, int]
    depths: Mapping[str, int]
    streaming: bool
    places: Mapping[str, Place]


def on_spark(options: RunOptions) -> frozenset[str]:
    """The operators that the deployment places on Spark; none where a resource has that name.

    :raise RefusedError: one is placed on Spark and elsewhere, or all others are
    """
    text = options.deployment
    if text is None:
        return frozenset()
    try:
        content = text if isinstance(text, Mapping) else json.loads(read_text(text, "deployment"))
    except ValueError:
        return frozenset()      # told with its place when the deployment is read
    place = content.get("place") if isinstance(content, Mapping) else None
    if not isinstance(place, Mapping) or SPARK in (content.get("resources") or {}):
        return frozenset()
    found = [operator for operator, where in place.items() if isinstance(where, Sequence) and SPARK in where]
    at = Place("" if isinstance(text, Mapping) else str(text))
    for operator in found:
        if list(place[operator]) != [SPARK]:
            raise RefusedError("place", f"`{operator}` is placed on Spark and on a resource", "one of both", at)
        if operator == "*":
            raise RefusedError("place", "`*` is placed on Spark", "name the operators that Spark runs", at)
    return frozenset(found)


def cut(graph: Graph, plan: Plan, spark: frozenset[str], parameters: Mapping[str, Any]) -> Parts:
    """Cuts a graph that has been checked.

    :param spark: ids of the operators that Spark runs
    :raise RefusedError: one of them is not there, nothing is left for the engine, or a feedback link goes from part to part
    """
    content = graph.to_dict()
    _refuse_unknown(plan, spark)
    cutting = _Cutting(content, plan, spark)
    for link in content.get("links", []):
        cutting.add(link)
    return cutting.parts(parameters)


def _refuse_unknown(plan: Plan, spark: frozenset[str]) -> None:
    known = [operator.id for operator in plan.operators]
    for operator in sorted(spark.difference(known)):
        close = get_close_matches(operator, known, 1)
        raise RefusedError("unknown_operator", f"the deployment places `{operator}` on Spark, and the graph has no such operator",
                           f"did you mean {close[0]}?" if close else "")
    if spark.issuperset(known):
        raise RefusedError("place", "all operators are placed on Spark, and nothing is left for the engine",
                           "without the deployment, --on spark runs the whole graph there")


class _Cutting:
    """The parts as they grow, link by link."""

    def __init__(self, content: dict[str, Any], plan: Plan, spark: frozenset[str]) -> None:
        self._content = content
        self._plan = plan
        self._spark = spark
        self._operators = {operator.id: operator for operator in plan.operators}
        self._ids = set(self._operators)
        self._engine_operators = {id_: op for id_, op in content["operators"].items() if id_ not in spark}
        self._spark_operators = {id_: op for id_, op in content["operators"].items() if id_ in spark}
        self._engine_links: list[dict[str, Any]] = []
        self._spark_links: list[dict[str, Any]] = []
        self._crossings: dict[str, str] = {}    # by the port that a stream leaves, the id of its ends in both parts
        self._depths = _depths(plan, spark)
        self._places = {operator.id: operator.place for operator in plan.operators}

    def add(self, link: dict[str, Any]) -> None:
        """Puts a link into one part, or its halves into both."""
        source, target = link["from"].partition(".")[0], link["to"].partition(".")[0]
        leaves, arrives = source in self._spark, target in self._spark
        if leaves == arrives:
            (self._spark_links if leaves else self._engine_links).append(link)
            return
        if link.get("feedback"):
            raise RefusedError("place", f"the feedback link {link['from']} -> {link['to']} goes from the engine to Spark or back",
                               "place both its operators on one side")
        links_before, links_behind = ((self._spark_links, self._engine_links) if leaves
                                      else (self._engine_links, self._spark_links))
        if link["from"] not in self._crossings:
            id_ = self._crossings[link["from"]] = self._cross(link["from"], leaves)
            links_before.append({"from": link["from"], "to": id_})
        links_behind.append({**link, "from": self._crossings[link["from"]]})

    def _cross(self, written: str, leaves_spark: bool) -> str:
        source, _, port = written.partition(".")
        wanted = f"{source}_{port}" if port and port != "out" else source
        wanted += "_to_engine" if leaves_spark else "_to_spark"
        id_, number = wanted, 1
        while id_ in self._ids:
            number += 1
            id_ = f"{wanted}_{number}"
        self._ids.add(id_)
        self._places[id_] = self._operators[source].place
        begin = _source(self._operators[source].outputs[port or "out"], endless=self._plan.unbounded)
        before, behind = ((self._spark_operators, self._engine_operators) if leaves_spark
                          else (self._engine_operators, self._spark_operators))
        before[id_] = {"type": "discard_sink"}
        behind[id_] = begin
        return id_

    def parts(self, parameters: Mapping[str, Any]) -> Parts:
        """Both, when all links are in."""
        to_spark = {id_: len(self._sinks_behind(id_)) for link, id_ in self._crossings.items()
                    if link.partition(".")[0] not in self._spark}
        to_engine = {id_: self._depths[link.partition(".")[0]] for link, id_ in self._crossings.items() if id_ not in to_spark}
        own = {id_: self._depths[id_] for id_ in self._spark}
        return Parts(self._part(self._engine_operators, self._engine_links, parameters),
                     self._part(self._spark_operators, self._spark_links, parameters),
                     to_spark, to_engine, {**own, **to_engine}, self._plan.unbounded, self._places)

    def _sinks_behind(self, source: str) -> set[str]:
        """Sinks of Spark's part that rows of a source there may reach."""
        links = [(link["from"].partition(".")[0], link["to"].partition(".")[0]) for link in self._spark_links]
        reached, left = set[str](), [source]
        while left:
            one = left.pop()
            reached.add(one)
            left += [target for begin, target in links if begin == one and target not in reached]
        return {one for one in reached - {source}
                if one not in self._operators or self._operators[one].type.endswith("_sink")}

    def _part(self, operators: dict[str, Any], links: list[dict[str, Any]], given: Mapping[str, Any]) -> Part:
        used = json.dumps([operators, links])
        declared = {name: value for name, value in self._content.get("parameters", {}).items() if f"${{{name}}}" in used}
        content = {name: value for name, value in self._content.items() if name in ("format", "name", "doc", "settings")}
        if declared:
            content["parameters"] = declared
        return Part(content | {"operators": operators, "links": links},
                    {name: value for name, value in given.items() if name in declared})


def _source(stream: Port, *, endless: bool) -> dict[str, Any]:
    """The beginning of a stream that comes from the other part."""
    source: dict[str, Any] = {"type": "spark_source", "schema": stream.schema}
    if endless:
        source["unbounded"] = True
    if stream.event_time is not None:
        source["event_time"] = _event_time(stream.event_time)
    return source


def _event_time(time: EventTime) -> dict[str, Any]:
    written: dict[str, Any] = {"column": time.column}
    if time.max_delay_ms:
        written["max_delay_ms"] = time.max_delay_ms
    if time.order_by:
        written["order_by"] = list(time.order_by)
    if time.per:
        written["per"] = list(time.per)
    return written


def _depths(plan: Plan, spark: frozenset[str]) -> dict[str, int]:
    """By operator, how often its rows have gone from Spark to the engine, at most."""
    depths: dict[str, int] = {}
    for operator in plan.operators:
        before = [depths[link.source] + (link.source in spark and operator.id not in spark)
                  for link in plan.links if link.target == operator.id and link.source in depths]
        depths[operator.id] = max(before, default=0)
    return depths
