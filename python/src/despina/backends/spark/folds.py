"""Folds in event order on Spark: the engine's own compiled operator, run through Spark's sorted groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from despina.backends.spark.facade import elements, facade
from despina.backends.spark.sides import GROUP, TIME, united
from despina.backends.spark.times import event_time
from despina.backends.spark.views import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call, Frames
    from despina.backends.spark.plan import Operator, Plan


@dataclass(frozen=True)
class GraphText:
    """The graph as it was written, from which each Spark task plans the operator that it runs; ``options`` as for the gateway.

    ``instant_micros`` is what ``now()`` means throughout; it is among the options too. ``buckets`` is the graph's setting: how
    many groups the rows of a keyed fold are dealt to, as keys are on the engine.
    """

    text: str
    file: str
    options: str
    instant_micros: int
    buckets: int


class Folds:
    """The folds of one graph. Those that read one stream by the same keys and whose rows reach the same sinks share one sort and
    one pass: a query of those sinks needs them all.
    """

    def __init__(self, plan: Plan, graph: GraphText) -> None:
        self._graph = graph
        self._families = together(plan)
        self._made: dict[str, DataFrame] = {}

    def ports(self, call: Call) -> Frames:
        """The ports of a fold in event order."""
        if call.operator.id not in self._made:
            family = self._families[call.operator.id]
            self._made |= zip(family, fold(call, family, self._graph), strict=True)
        return {port: self._made.pop(text) for port, text in ports(call.operator).items()}


def ports(operator: Operator) -> dict[str, str]:
    """The ports that have rows on Spark: ``out``, and others that are linked; and what each is called in Spark's tasks."""
    others = [port.name for port in operator.outputs.values() if port.linked and port.name in ("back", "timeout", "errors")]
    return {"out": operator.id} | {port: f"{operator.id}.{port}" for port in others}


def keys(operator: Operator) -> list[Sequence[str]]:
    """By input port of a fold, what its rows are grouped by."""
    of: list[Sequence[str]] = [operator.fields.get("group_by", [])]
    return of if len(operator.inputs) == 1 else [*of, operator.fields["window"]["on"]]


def together(plan: Plan) -> dict[str, list[str]]:
    """By fold: the ports of all that can share its pass, its own among them."""
    behind = plan.sinks_behind()
    families: dict[object, list[str]] = {}
    of: dict[str, list[str]] = {}
    for operator in (each for each in plan.operators if each.is_fold):
        read = tuple((port, link.source, link.source_port) for port in operator.inputs
                     for link in plan.links_into(operator.id, port))
        alike = (read, tuple(map(tuple, keys(operator))), frozenset(behind[operator.id]))
        of[operator.id] = families.setdefault(alike, [])
        of[operator.id] += ports(operator).values()
    return of


def fold(call: Call, family: list[str], graph: GraphText) -> list[DataFrame]:
    """What each port of the family gives.

    Rows are grouped by a hash of the keys, sorted in event order and handed to the operators, which keep their groups apart
    as on the engine. Without keys all rows are one group: one Spark partition.
    """
    from pyspark.sql import DataFrame as Frame

    operator = call.operator
    texts = keys(operator)
    order, frame = (_one if len(texts) == 1 else _several)(call, texts, graph.buckets)
    java = facade(call.spark)
    folding = java.fold(graph.text, graph.file, graph.options, family)
    folded = java.folded(frame._jdf, GROUP if texts[0] else None, order, folding)
    return [Frame(port, call.spark) for port in elements(folded)]


def _group(key: str, buckets: int) -> str:
    return f"CAST(pmod(hash({key}), {buckets}) AS INT)"


def _one(call: Call, texts: Sequence[Sequence[str]], buckets: int) -> tuple[list[str], DataFrame]:
    """The rows of the one input with their group, and what to sort a group by."""
    time, frame = event_time(call.operator, "in"), call.frame
    if texts[0]:    # a struct takes keys with their names, and its hash keeps equal keys together
        group = _group(f"struct({listed(texts[0])})", buckets)
        frame = frame.selectExpr(*(quoted(c) for c in frame.columns), f"{group} AS {GROUP}")
    return [time.column, *time.order_by], frame


def _several(call: Call, texts: Sequence[Sequence[str]], buckets: int) -> tuple[list[str], DataFrame]:
    """The rows of all inputs. The operator itself orders those of one time."""
    return [TIME], united(call, texts, lambda key: _group(key, buckets))
