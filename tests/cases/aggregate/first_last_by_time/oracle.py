"""By sorting: what comes first and last in event order."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

Row = dict[str, Any]
EPOCH = datetime.fromisoformat("1970-01-01T00:00:00Z")


def readings(folder: Path) -> list[Row]:
    """The packets in event order."""
    rows = [json.loads(line) for line in (folder / "in.jsonl").read_text().splitlines()]
    return sorted(({**row, "ts": datetime.fromisoformat(row["ts"])} for row in rows), key=lambda row: (row["ts"], row["k"]))


def ends(rows: list[Row]) -> Row:
    """What the graph selects of a group."""
    values = [row["v"] for row in rows]
    known = [value for value in values if value is not None]
    later = [row["v"] for row in rows if row["k"] > 1]
    return {"f": values[0], "l": values[-1], "known": known[0] if known else None, "m": known[-1] if known else None,
            "later": later[0] if later else None}


def starts(row: Row, size_s: int, slide_s: int) -> list[datetime]:
    """Of the windows that it falls into."""
    second = int((row["ts"] - EPOCH).total_seconds())
    last = second - second % slide_s
    return [EPOCH + timedelta(seconds=start) for start in range(last, second - size_s, -slide_s)]


def grouped(rows: list[Row], keys: Any) -> dict[Any, list[Row]]:
    """Rows by each of their keys, in order."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        for key in keys(row):
            groups.setdefault(key, []).append(row)
    return groups


def expected(folder: Path) -> dict[str, list[Row]]:
    """All three sinks."""
    rows = readings(folder)
    windows = grouped(rows, lambda row: [(row["g"], start) for start in starts(row, 10, 10)])
    slides = grouped(rows, lambda row: starts(row, 20, 10))
    groups = grouped(rows, lambda row: [row["g"].upper()])
    return {
        "windows": [{"g": g, "start": start, **ends(of)} for (g, start), of in windows.items()],
        "slides": [{"start": start, "f": of[0]["v"], "l": of[-1]["v"], "n": len(of)} for start, of in slides.items()],
        "groups": [{"u": u, **ends(of)} for u, of in groups.items()],
    }
