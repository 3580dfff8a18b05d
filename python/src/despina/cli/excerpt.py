"""The line of a file that a diagnostic is about, with a caret below its column."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from despina.errors import Place, visible

INDENT = "  "
MOST_BYTES = 1 << 20
"""Of a larger file nothing is shown: it is data, and no graph."""


def excerpt(place: Place, width: int) -> str:
    """Two lines for a terminal of that width; empty if the file, or the place in it, cannot be read any more."""
    if not place.line or not place.column:
        return ""
    file = Path(place.file)
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return ""
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError):
        return ""
    if place.line > len(lines) or place.column > len(lines[place.line - 1]) + 1:
        return ""
    line = visible(lines[place.line - 1].removesuffix("\r").replace("\t", " "))
    line, column = _cut(line, place.column - 1, max(1, (width - len(INDENT)) // 2))
    return f"{INDENT}{line}\n{INDENT}{' ' * _cells(line[:column])}^"


def _cut(line: str, column: int, most: int) -> tuple[str, int]:
    """At most twice so many cells of the line, with the column's character among them, and where that now is."""
    first = column
    while first > 0 and _cells(line[first - 1:column]) <= most - 1:
        first -= 1
    last = column
    while last < len(line) and _cells(line[first:last + 1]) <= 2 * most:
        last += 1
    return line[first:last], column - first


def _cells(text: str) -> int:
    """How many cells of a terminal it takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
