"""The manufacturing job's input, made once, and what must come out of it."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from despina.errors import DespinaError
from harness import engine
from harness.engine import Command
from harness.graphs import ROOT
from harness.processes import RunError
from peers.contract import Kit, UnavailableError

GRAPH = ROOT / "graphs" / "manufacturing.graph.json"
INPUT_GRAPH = ROOT / "graphs" / "manufacturing_input.graph.json"
SEED = 1
READINGS = "readings.txt"
DELAYS = "delays.json"
RECORDED_PER_S = 100
"""Readings in a second of their time."""
LIMIT_S = 1800.0
"""For making the readings, which takes some minutes, and for the delays in them."""
PIECE_BYTES = 1 << 20
RELATIVE = 1e-7
"""Of slope and trend: sums of squares over hours of microseconds, added up in another order."""
FOLDED = ("slope", "trend_now")

Row = dict[str, Any]


@dataclass(frozen=True)
class Input:
    """What a run reads: of a manufacturing job readings, and the delays that they give.

    :ivar file: DEBS 2012 text; of other works a file of theirs, or a folder of them
    :ivar readings: how many there are
    :ivar delays: by pair, in the order of time
    :ivar parts: what is read of a folder; all of it if none are named
    """

    file: Path
    readings: int
    delays: Mapping[str, Sequence[Row]]
    parts: Sequence[Path] = ()

    def into_memory(self) -> None:
        """Reads all of it once, so that the kernel has it at hand and no engine waits for the disk: what was not read for a
        minute a system may have dropped, and then the first engine of a round would pay for all.
        """
        piece = bytearray(PIECE_BYTES)
        for place in self.parts or [self.file]:
            for file in filter(Path.is_file, place.rglob("*")) if place.is_dir() else [place]:
                with file.open("rb", buffering=0) as opened:
                    while opened.readinto(piece):
                        pass


def prepared(kit: Kit, rows: int) -> Input:
    """So many readings, made at first use and kept: for these graphs and this seed, and only when all of it was made."""
    made_by = hashlib.sha256(b"\0".join((INPUT_GRAPH.read_bytes(), GRAPH.read_bytes(), str(SEED).encode())))
    folder = kit.cache / "inputs" / f"manufacturing-{rows}-{made_by.hexdigest()[:12]}"
    if (delays := kept(folder)) is None:
        kit.tell(f"manufacturing: making {rows:,} readings")
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        delays = _make(part, rows)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    return Input(folder / READINGS, rows, delays)


def kept(folder: Path) -> dict[str, list[Row]] | None:
    """The delays of the readings that are kept there; None if there are none, or they cannot be read."""
    try:
        found = json.loads((folder / DELAYS).read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and (folder / READINGS).is_file() else None


def _make(folder: Path, rows: int) -> dict[str, list[Row]]:
    """Makes readings, and the delays that a run in one process finds in them."""
    text = str(folder / READINGS)
    try:
        engine.run(Command(INPUT_GRAPH, parameters={"rows": rows, "seed": SEED, "output": text}, limit_s=LIMIT_S), folder)
        engine.run(Command(GRAPH, parameters={"input": text, "output": str(folder / "delays")}, limit_s=LIMIT_S), folder)
    except DespinaError as failed:
        raise UnavailableError(f"the input cannot be made: {failed}") from failed
    delays = by_pair(read(folder / "delays"))
    (folder / DELAYS).write_text(json.dumps(delays))
    return delays


def read(place: Path) -> list[Row]:
    """The rows of a file, or of a folder of parts; none where there is neither. A last line that is cut is left out."""
    files = sorted(place.glob("part-*")) if place.is_dir() else [place] if place.is_file() else []
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
