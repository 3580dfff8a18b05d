"""What a picture of a graph shows: boxes with a title, details and the author's words, and arrows between them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from despina.errors import RefusedError

CHECK = "despina check says what is wrong"
DETAIL_WIDTH = 34
DOC_WIDTH = 40
MAX_DETAILS = 3

_DETAILS = ("part", "parameters", "port", "url", "path", "class", "function", "adds", "format", "rows", "where",
            "cases", "window", "group_by", "on", "as_of", "between_ms", "state", "emit_when", "steps", "every_ms",
            "within_ms", "hold_ms", "of", "n", "key", "by", "statement", "from", "select", "sleep_ms", "rate_per_s",
            "count")
"""Fields that say what an operator does, the essential ones first."""
_WITHOUT_FIELDS = {"as_of": "newest before"}
"""What an object means in which nothing is written."""

_UNITS = (("h", 3_600_000), ("min", 60_000), ("s", 1000))


@dataclass(frozen=True)
class Box:
    """One operator."""

    id: str
    type: str
    details: tuple[str, ...]
    doc: tuple[str, ...]
    kind: str
    """``source``, ``sink`` or neither."""


@dataclass(frozen=True)
class Arrow:
    """One link; port names only where they are not ``out`` and ``in``."""

    start: str
    end: str
    start_port: str
    end_port: str
    label: str


@dataclass(frozen=True)
class Drawing:
    """A whole picture."""

    name: str
    doc: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def of(content: Any) -> Drawing:
    """The picture of what a graph's file holds.

    :raise RefusedError: it is no graph, has no operators, or a link names one that is not there
    """
    graph = _object(content, "the graph")
    operators = graph.get("operators")
    if not isinstance(operators, Mapping) or not operators:
        raise RefusedError("draw", "there is nothing to draw: the graph has no operators", CHECK)
    links = graph.get("links", [])
    if not isinstance(links, list):
        raise RefusedError("draw", "`links` is not an array", CHECK)
    boxes = tuple(_box(name, _object(fields, f"operator {name}")) for name, fields in operators.items())
    arrows = tuple(_arrow(_object(link, f"link {index}"), operators) for index, link in enumerate(links))
    return Drawing(str(graph.get("name", "")), str(graph.get("doc", "")), boxes, arrows)


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RefusedError("draw", f"{what} is not an object", CHECK)
    return value


def _box(name: str, fields: Mapping[str, Any]) -> Box:
    details = [_detail(key, fields[key] or _WITHOUT_FIELDS.get(key, fields[key])) for key in _DETAILS if key in fields]
    if "port" in fields and "host" in fields:
        details[0] = f"port: {_short(fields['host'])}:{_short(fields['port'])}"
    instances = fields.get("parallelism", 1)
    if (most := fields.get("most_instances", instances)) != 1:
        details.insert(0, f"× {_short(instances)}" + (f" of {_short(most)}" if most != instances else ""))
    shown = tuple(cut(line) for line in details[:MAX_DETAILS])
    word = str(fields.get("type", "?"))
    return Box(name, word, shown, tuple(textwrap.wrap(str(fields.get("doc", "")), DOC_WIDTH)), kind(word))


def cut(line: str) -> str:
    """As much of a line as a box has room for. An expression may have no blank to cut at."""
    return line if len(line) <= DETAIL_WIDTH else f"{line[:DETAIL_WIDTH - 1].rstrip()}…"


def kind(word: str) -> str:
    """``source`` or ``sink`` if the operator type's word says so."""
    return "source" if word.endswith("_source") else "sink" if word.endswith("_sink") else ""


def _detail(key: str, value: Any) -> str:
    if key.endswith("_ms"):
        key, value = key.removesuffix("_ms"), _span(value)
    return f"{key}: {_short(value)}"


def _span(value: Any) -> Any:
    """Milliseconds, or an object of them, in the largest unit that they are whole in."""
    if isinstance(value, Mapping):
        return {name: _span(part) for name, part in value.items()}
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    unit, size = next(((unit, size) for unit, size in _UNITS if value and value % size == 0), ("ms", 1))
    return f"{value // size if size > 1 else value} {unit}"


def _short(value: Any) -> str:
    """A field's value in a few words."""
    if isinstance(value, Mapping):
        kind = str(value.get("type", ""))
        parts = [kind] if kind else []
        for name, part in value.items():
            if name == kind:
                parts.append(_short(part))
            elif name.endswith("_ms"):
                parts.append(f"{name.removesuffix('_ms')} {_short(_span(part))}")
            elif name not in ("type", "initial", "next"):
                parts.append(f"{name} {_short(part)}")
        return " ".join(parts)
    if isinstance(value, list):
        return ", ".join(_short(item) for item in value)
    return " ".join(str(value).split())


def _arrow(link: Mapping[str, Any], operators: Mapping[str, Any]) -> Arrow:
    start, _, start_port = str(link.get("from", "")).partition(".")
    end, _, end_port = str(link.get("to", "")).partition(".")
    for name in (start, end):
        if name not in operators:
            raise RefusedError("draw", f"a link names {name!r}, which is not an operator", "despina check says where")
    partition = link.get("partition")
    words = [_short(partition)] if partition else []
    if link.get("doc"):
        words.append(cut(_short(link["doc"])))
    return Arrow(start, end, "" if start_port == "out" else start_port, "" if end_port == "in" else end_port,
                 ", ".join(words))
