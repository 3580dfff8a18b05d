"""The manufacturing job's input, made once, and what must come out of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compare.engine import Kit, UnavailableError
from compare.processes import RunError
from despina.errors import DespinaError
from harness import engine
from harness.engine import Command
from harness.graphs import ROOT

GRAPH = ROOT / "graphs" / "manufacturing.graph.json"
INPUT_GRAPH = ROOT / "graphs" / "manufacturing_input.graph.json"
RELATIVE = 1e-7
"""Of slope and trend: sums of squares over hours of microseconds, added up in another order."""
FOLDED = ("slope", "trend_now")

Row = dict[str, Any]


@dataclass(frozen=True)
class Input:
    """Readings, and the delays that they give.

    :ivar file: DEBS 2012 text
    :ivar readings: how many there are
    :ivar delays: by pair, in the order of time
    """

    file: Path
    readings: int
    delays: Mapping[str, Sequence[Row]]


def prepared(kit: Kit, rows: int) -> Input:
    """So many readings, made at first use and kept."""
    folder = kit.cache / "inputs" / f"manufacturing-{rows}"
    text, expected = folder / "readings.txt", folder / "delays.json"
    if not expected.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        kit.tell(f"manufacturing: making {rows:,} readings")
        try:
            engine.run(Command(INPUT_GRAPH, parameters={"rows": rows, "output": str(text)}), folder)
            engine.run(Command(GRAPH, parameters={"input": str(text), "output": str(folder / "delays")}), folder)
        except DespinaError as failed:
            raise UnavailableError(f"the input cannot be made: {failed}") from failed
        expected.write_text(json.dumps(by_pair(read(folder / "delays"))))
    return Input(text, rows, json.loads(expected.read_text()))


def read(place: Path) -> list[Row]:
    """The rows of a file, or of a folder of parts; a last line that is cut is left out."""
    files = sorted(place.glob("part-*")) if place.is_dir() else [place]
    return [json.loads(line) for file in files for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]


def by_pair(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each pair, in the order of time."""
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row["pair"], row["ts"])):
        found.setdefault(row["pair"], []).append(row)
    return found


def verify(places: Sequence[Path], wanted: Input, counted: Sequence[int]) -> int:
    """Holds what jobs have put out to what must come out: for each pair the first so many rows, no other and none left out.

    :param counted: each job's readings within the window; so many, of the first ones, must have come out, so that operators lag
        behind the parser by no more than the warm-up's readings
    :return: how many rows there were
    :raise RunError: the first difference
    """
    total = 0
    for job, (place, readings) in enumerate(zip(places, counted, strict=True)):
        found = by_pair(read(place))
        for pair in wanted.delays.keys() | found.keys():
            expected, rows = wanted.delays.get(pair, []), found.get(pair, [])
            if len(rows) > len(expected):
                raise RunError(f"job {job} put out {len(rows)} rows of {pair}, which has {len(expected)}")
            for row, other in zip(rows, expected, strict=False):
                if not same(row, other):
                    raise RunError(f"job {job} put out {row} where {other} is right")
            least = len(expected) * readings // wanted.readings - 1
            if len(rows) < least:
                raise RunError(f"job {job} put out {len(rows)} rows of {pair}; the {readings:,} readings of the window have "
                               f"{least}")
            total += len(rows)
    if total == 0:
        raise RunError("no row was put out")
    return total


def same(row: Row, expected: Row) -> bool:
    """Whether two rows are equal, sums within their tolerance."""
    if row.keys() != expected.keys():
        return False
    for name, value in expected.items():
        found = row[name]
        if name in FOLDED and value is not None and found is not None:
            if not math.isclose(found, value, rel_tol=RELATIVE, abs_tol=RELATIVE):
                return False
        elif found != value:
            return False
    return True
