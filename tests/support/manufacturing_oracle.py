"""The manufacturing job in plain Python: written from its description, sharing no code with the engine or with Spark.

Reads the 56-column text, follows each sensor and valve, pairs their changes and looks back 24 hours with a plain loop.
Quadratic in the number of changes within 24 hours; meant for tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

PAIRS = (("05", "08"), ("06", "09"), ("07", "10"))
FIRST_STATE_COLUMN = 12
DAY_US = 86_400_000_000
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, order=True)
class Change:
    """A change of state: when (microseconds since 1970), the reading's index, the new value."""

    us: int
    index: int
    edge: int


def micros(stamp: str) -> int:
    """Microseconds since 1970-01-01T00:00Z of an ISO time stamp; digits beyond the sixth are cut."""
    match = _STAMP.fullmatch(stamp)
    if match is None:
        raise ValueError(f"not a time stamp: {stamp!r}")
    whole, fraction, zone = match.groups()
    moment = datetime.fromisoformat(whole + ("+00:00" if zone == "Z" else zone))
    seconds = (moment - _EPOCH).days * 86_400 + (moment - _EPOCH).seconds
    return seconds * 1_000_000 + int(((fraction or "") + "000000")[:6])


def readings(path: Path) -> Iterator[tuple[int, int, dict[str, int | None]]]:
    """Yields (microseconds, index, {"05": state, ...}) per line of the file."""
    for line in path.read_bytes().decode().splitlines():
        cells = line.split("\t")
        if len(cells) != 56:
            raise ValueError(f"{len(cells)} columns, not 56: {line!r}")
        states = {
            f"{k:02d}": int(cells[FIRST_STATE_COLUMN + k - 5]) if cells[FIRST_STATE_COLUMN + k - 5] else None
            for k in range(5, 11)
        }
        yield micros(cells[0]), int(cells[1]), states


def changes(rows: Iterable[tuple[int, int, int | None]]) -> list[Change]:
    """The changes of one state, of (microseconds, index, value) rows in event order."""
    known = [row for row in rows if row[2] is not None]
    return [
        Change(us, index, value)
        for (_, _, before), (us, index, value) in pairwise(known)
        if value is not None and value != before
    ]


def _pair_rows(name: str, sensor: list[Change], valve: list[Change], origin_us: int) -> list[dict[str, Any]]:
    delays: list[tuple[Change, int]] = []
    for change in valve:
        before = [s for s in sensor if s.edge == change.edge and (s.us, s.index) <= (change.us, change.index)]
        if before:
            delays.append((change, change.us - max(before).us))
    rows = []
    for change, delay in delays:
        window = [(c, d) for c, d in delays if change.us - DAY_US <= c.us <= change.us]
        slope, trend = _line([((c.us - origin_us) / 1e6, d) for c, d in window], (change.us - origin_us) / 1e6)
        oldest = min(window)[1]
        rows.append(
            {
                "ts": change.us,
                "pair": name,
                "edge": change.edge,
                "delay_us": delay,
                "n": len(window),
                "slope": slope,
                "trend_now": trend,
                "alarm": delay * 100 > 101 * oldest,
            }
        )
    return rows


def _line(points: list[tuple[float, int]], at: float) -> tuple[float | None, float | None]:
    """Least squares through (x, y) points: the slope, and the line's value at ``at``; None where x has no spread."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread == 0:
        return None, None
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    return slope, mean_y + slope * (at - mean_x)


def manufacturing(path: Path, origin: str = "2012-02-22T00:00:00Z") -> list[dict[str, Any]]:
    """The rows that the manufacturing graph gives for a file, ``ts`` in microseconds, in order of (pair, ts)."""
    series = list(readings(path))
    by_state = {
        name: changes((us, index, states[name]) for us, index, states in sorted(series, key=lambda r: r[:2]))
        for name in ("05", "06", "07", "08", "09", "10")
    }
    return [
        row
        for sensor, valve in PAIRS
        for row in _pair_rows(f"{sensor}-{valve}", by_state[sensor], by_state[valve], micros(origin))
    ]
