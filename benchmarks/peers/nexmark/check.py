"""Rows are held to those that plain Python gives for the same events, by value and as often as they come."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from harness.processes import RunError
from peers import manufacturing
from peers.nexmark.events import KINDS
from peers.nexmark.oracle import QUERIES, Events, Row

COLUMNS = {
    "persons": ("number", "ts", "id", "name", "city", "state"),
    "auctions": ("number", "ts", "id", "item", "reserve", "expires", "seller", "category"),
    "bids": ("number", "ts", "auction", "bidder", "price", "channel"),
}
TEXT = {"name", "city", "state", "item", "channel"}
TIMES = {"ts", "expires", "since", "until"}
BY_THE_CLOCK = "q12"
"""Its windows go by the wall clock, so counts are compared that are added up by bidder."""
DIGITS = 6
"""Of a fraction: what is a decimal here is a double there."""
SHOWN = 3

Key = tuple[tuple[str, Any], ...]


def verify(query: str, found: Path, events: Path, *, whole: bool = True) -> int:
    """Holds a query's rows to the oracle's.

    :param found: JSON lines, a file or a folder of parts
    :param events: the folder of the events' csv
    :param whole: whether windows by the wall clock that were open at the end must have come too
    :return: how many rows there were
    :raise RunError: rows are missing, or wrong
    """
    rows = Counter(map(_key, _rows(query, found)))
    wanted = _wanted(query, events)
    if query == BY_THE_CLOCK and not whole:
        _hold_to_most(rows, wanted)
    elif rows != wanted:
        missing, wrong = wanted - rows, rows - wanted
        raise RunError(f"{query}: of {wanted.total():,} rows {missing.total():,} are missing, {_some(missing)}, and "
                       f"{wrong.total():,} are wrong, {_some(wrong)}")
    if not rows:
        raise RunError(f"{query}: no row was put out")
    return rows.total()


def _hold_to_most(rows: Counter[Key], wanted: Counter[Key]) -> None:
    most = {bidder: bids for (_, bidder), (_, bids) in wanted}
    if wrong := [row for row in rows if dict(row)["bids"] > most.get(dict(row)["bidder"], 0)]:
        raise RunError(f"{BY_THE_CLOCK}: {len(wrong)} bidders have more bids than they made: {wrong[:SHOWN]}")


def _rows(query: str, place: Path) -> Iterable[Row]:
    rows = manufacturing.read(place)
    if query != BY_THE_CLOCK:
        return rows
    bids: Counter[int] = Counter()
    for row in rows:
        bids[row["bidder"]] += row["bids"]
    return ({"bidder": bidder, "bids": count} for bidder, count in bids.items())


@lru_cache(maxsize=1)     # rows of one point take turns, and some queries have hundreds of megabytes of them
def _wanted(query: str, events: Path) -> Counter[Key]:
    return Counter(map(_key, QUERIES[query](_events(events))))


@cache
def _events(folder: Path) -> Events:
    return Events(*(sorted(_csv(folder / kind, COLUMNS[kind]), key=lambda row: int(row["number"])) for kind in KINDS))


def _csv(folder: Path, columns: tuple[str, ...]) -> Iterator[Row]:
    for part in sorted(folder.glob("part-*")):
        with part.open(encoding="utf-8", newline="") as lines:
            for line in csv.reader(lines):
                yield {name: value if name in TEXT else f"{value}+00:00" if name in TIMES else int(value)
                       for name, value in zip(columns, line, strict=True)}


def _key(row: Row) -> Key:
    """A row as it is compared: names in order, times in seconds, fractions to so many digits."""
    return tuple((name, _plain(name, row[name])) for name in sorted(row))


def _plain(name: str, value: Any) -> Any:
    if name in TIMES:
        return (datetime.fromisoformat(value) if isinstance(value, str) else value).timestamp()
    return round(value, DIGITS) if isinstance(value, float) else value


def _some(rows: Counter[Key]) -> str:
    return f"as {json.dumps([dict(row) for row in list(rows)[:SHOWN]])}" if rows else "none"
