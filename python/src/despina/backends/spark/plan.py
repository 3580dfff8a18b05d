"""The checked plan as the translation reads it: thin views over the gateway's JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from despina.errors import Place


@dataclass(frozen=True)
class EventTime:
    """The event-time column of a stream, the columns that break ties, how late a row may be, and whose clock it is."""

    column: str
    order_by: tuple[str, ...]
    max_delay_ms: int = 0
    per: tuple[str, ...] = ()


@dataclass(frozen=True)
class Port:
    """A port and the stream in it; ``schema`` is Spark DDL. An output may be left unlinked.

    ``defaults``: of a source, by column, what it is in records that leave it out, as SQL.
    """

    name: str
    schema: str
    linked: bool
    event_time: EventTime | None
    defaults: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Operator:
    """One operator, written at ``place``. ``on_error`` is ``fail``, ``skip`` or ``dead_letter``.

    ``fields`` are as in ``PlanJson``; ``assigns_event_time``: the watermark of port ``out`` begins here. ``is_fold`` and
    ``keeps_state`` are as in ``OperatorSpec``.
    """

    id: str
    type: str
    place: Place
    on_error: str
    fields: dict[str, Any]
    inputs: dict[str, Port]
    outputs: dict[str, Port]
    parallelism: int = 1
    assigns_event_time: bool = False
    is_fold: bool = False
    keeps_state: bool = False


@dataclass(frozen=True)
class Link:
    """One link, ports resolved."""

    source: str
    source_port: str
    target: str
    target_port: str


@dataclass(frozen=True)
class Plan:
    """A checked graph: operators in topological order. ``unbounded``: a source may have no end."""

    name: str
    ansi: bool
    time_zone: str
    buckets: int
    operators: tuple[Operator, ...]
    links: tuple[Link, ...]
    unbounded: bool = False

    @classmethod
    def from_json(cls, plan: dict[str, Any], place_of: Callable[[str, int, int], Place]) -> Plan:
        """Reads what the gateway's ``check`` gives as ``plan``.

        :param place_of: see :meth:`despina.graph.Graph.place_of`
        """
        return cls(
            name=plan["name"],
            ansi=plan["settings"]["ansi"],
            time_zone=plan["settings"]["time_zone"],
            buckets=plan["settings"]["buckets"],
            operators=tuple(_operator(o, place_of(o["id"], o["line"], o["column"])) for o in plan["operators"]),
            links=tuple(Link(k["from"], k["from_port"], k["to"], k["to_port"]) for k in plan["links"]),
            unbounded=plan["unbounded"],
        )

    def links_into(self, operator: str, port: str) -> list[Link]:
        """The links into one port, in the file's order."""
        return [k for k in self.links if (k.target, k.target_port) == (operator, port)]

    def sinks_behind(self) -> dict[str, set[str]]:
        """Per operator the sinks that its rows may reach; of a sink itself."""
        behind: dict[str, set[str]] = {}
        for operator in reversed(self.operators):
            reached = [behind[k.target] for k in self.links if k.source == operator.id]
            behind[operator.id] = set[str]().union(*reached or [{operator.id}])
        return behind

    def before(self, sink: str) -> list[Operator]:
        """The operators whose rows may reach the sink, and itself."""
        behind = self.sinks_behind()
        return [operator for operator in self.operators if sink in behind[operator.id]]


def _operator(operator: dict[str, Any], place: Place) -> Operator:
    return Operator(
        id=operator["id"],
        type=operator["type"],
        place=place,
        on_error=operator["on_error"],
        fields=operator["fields"],
        inputs={p["name"]: _port(p) for p in operator["inputs"]},
        outputs={p["name"]: _port(p) for p in operator["outputs"]},
        parallelism=operator["parallelism"],
        assigns_event_time=operator["assigns_event_time"],
        is_fold=operator["is_fold"],
        keeps_state=operator["keeps_state"],
    )


def _port(port: dict[str, Any]) -> Port:
    time = port.get("event_time")
    order = EventTime(time["column"], tuple(time["order_by"]), time["max_delay_ms"],
                      tuple(time["per"])) if time else None
    return Port(port["name"], port["schema"], port["linked"], order, port.get("defaults", {}))
