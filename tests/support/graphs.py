"""Small graphs and deployments as dicts, and how to write them to files."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

Fields = dict[str, Any]

TWO: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
               "place": {"source": ["near"], "*": ["far"]}}
"""The source in one process, all else in another."""


def chain(*operators: tuple[str, Fields], links: Fields | None = None, settings: Fields | None = None,
          name: str = "chain") -> Fields:
    """Operators one after the other; ``links`` are more fields of each link."""
    names = [operator for operator, _ in operators]
    return {"format": 1, "name": name, "settings": settings or {}, "operators": dict(operators),
            "links": [{"from": a, "to": b, **(links or {})} for a, b in pairwise(names)]}


def packets(count: int | None = None, packet_bytes: int = 50, **fields: Any) -> Fields:
    """A source of relay packets; without a count it has no end."""
    bounded = {} if count is None else {"count": count}
    return {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": packet_bytes}, **bounded, **fields}


def rows(count: int | None, *select: str, **fields: Any) -> Fields:
    """A source of rows of expressions over ``id``."""
    bounded = {} if count is None else {"count": count}
    return {"type": "generator_source", "rows": {"type": "select", "select": list(select)}, **bounded, **fields}


def relay(count: int | None = None, **source: Any) -> Fields:
    """Packets through a relay into a sink that verifies them; no expression in it."""
    return chain(("source", packets(count, **source)), ("relay", {"type": "relay"}),
                 ("sink", {"type": "discard_sink", "verify": "all"}), links={"fuse": False}, name="relay")


def csv_source(path: Path | str, schema: str = "id BIGINT, word STRING", **fields: Any) -> Fields:
    """A source of a csv file."""
    return {"type": "file_source", "path": str(path), "format": "csv", "schema": schema, **fields}


def write(path: Path, content: Fields) -> Path:
    """Writes it as a file and gives the file back."""
    path.write_text(json.dumps(content, indent=2))
    return path
