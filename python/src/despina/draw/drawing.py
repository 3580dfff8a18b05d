"""What a picture of a graph shows: boxes with a title, details and the author's words, and arrows between them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from despina.errors import RefusedError

DETAIL_WIDTH = 34
DOC_WIDTH = 40
MAX_DETAILS = 3

_DETAILS = ("path", "format", "rows", "where", "window", "group_by", "on", "as_of", "between_ms", "state", "emit_when", "of",
            "select", "sleep_ms", "rate_per_s", "count")


@dataclass(frozen=True)
class Box:
    """One operator."""

    id: str
    type: str
    details: tuple[str, ...]
    doc: tuple[str, ...]


@dataclass(frozen=True)
class Arrow:
    """One link; port names only where they are not ``out`` and ``in``."""

    start: str
    end: str
    start_port: str
    end_port: str
    label: str
    feedback: bool


@dataclass(frozen=True)
class Drawing:
    """A whole picture."""

    name: str
    doc: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def of(content: Mapping[str, Any]) -> Drawing:
    """The picture of a graph's content.

    :raise RefusedError: it has no operators, or a link names one that is not there
    """
    operators = content.get("operators")
    if not isinstance(operators, Mapping) or not operators:
        raise RefusedError("draw", "there is nothing to draw: no operators", "despina check says what is wrong")
    boxes = tuple(_box(name, fields) for name, fields in operators.items())
    arrows = tuple(_arrow(link, operators) for link in content.get("links", ()))
    return Drawing(str(content.get("name", "")), str(content.get("doc", "")), boxes, arrows)


def _box(name: str, fields: Mapping[str, Any]) -> Box:
    details = [f"{key}: {_short(fields[key])}" if fields[key] != {} else key for key in _DETAILS if key in fields]
    if int(fields.get("parallelism", 1)) > 1:
        details.insert(0, f"× {fields['parallelism']}")
    shown = tuple(textwrap.shorten(line, DETAIL_WIDTH, placeholder=" …") for line in details[:MAX_DETAILS])
    return Box(name, str(fields.get("type", "?")), shown, tuple(textwrap.wrap(str(fields.get("doc", "")), DOC_WIDTH)))


def _short(value: Any) -> str:
    """A field's value in a few words."""
    if isinstance(value, Mapping):
        head = [str(value["type"])] if "type" in value else []
        return " ".join([*head, *(f"{k} {_short(v)}" for k, v in value.items() if k not in ("type", "initial", "next"))])
    if isinstance(value, list):
        return ", ".join(_short(item) for item in value)
    return " ".join(str(value).split())


def _arrow(link: Mapping[str, Any], operators: Mapping[str, Any]) -> Arrow:
    start, _, start_port = str(link.get("from", "")).partition(".")
    end, _, end_port = str(link.get("to", "")).partition(".")
    for name in (start, end):
        if name not in operators:
            raise RefusedError("draw", f"a link names {name!r}, which is no operator", "despina check says where")
    partition = link.get("partition")
    words = [_short(partition)] if partition else []
    if link.get("doc"):
        words.append(textwrap.shorten(str(link["doc"]), DETAIL_WIDTH, placeholder=" …"))
    return Arrow(start, end, "" if start_port == "out" else start_port, "" if end_port == "in" else end_port,
                 ", ".join(words), bool(link.get("feedback")))
