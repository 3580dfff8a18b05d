"""Two jobs that write to one table, an epoch each some milliseconds, until it has so many versions; others read it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from support import lakes
from support.graphs import chain, rows, write
from support.processes import INTERRUPTED, commands, until

Making = Callable[[Path], AbstractContextManager[lakes.Delta | lakes.Iceberg]]
KINDS: dict[str, Making] = {"delta": lakes.delta, "iceberg": lakes.iceberg}
APART = 1_000_000_000
"""Between the numbers of one job and the other's."""
RATE_PER_S = 1_000
PATIENCE_S = 3_600.0


@dataclass
class Found:
    """What has become of a table."""

    kind: str
    versions: int = 0
    rows: int = 0
    seconds: float = 0.0
    read_s: float = 0.0
    wrong: list[str] = field(default_factory=list)


def one(kind: str, folder: Path, epochs: int, epoch_ms: int) -> Found:
    """Two jobs race for each version until there are so many."""
    found, started = Found(kind), commands(folder)
    starts = next(started)
    with KINDS[kind](folder / "tables") as lake:
        begin = time.monotonic()
        jobs = []
        for number in range(2):
            made = rows(None, f"id + {number * APART} AS n", rate_per_s=RATE_PER_S)
            out = {"type": f"{kind}_sink", **lake.fields("raced")}
            graph = write(folder / f"{number}.json", chain(("made", made), ("out", out)))
            jobs.append(starts("run", graph, "--state", folder / f"state{number}", "--epoch-ms", str(epoch_ms)))
        until(lambda: lake.version("raced") >= epochs or not all(job.processes() for job in jobs), "versions", PATIENCE_S)
        for job in jobs:
            job.signal(signal.SIGINT)
        for job in jobs:
            ended = job.end()
            found.wrong += [] if ended.code in (0, INTERRUPTED) else [f"a job ended with {ended.code}: {ended.err[-2000:]}"]
        found.seconds = time.monotonic() - begin
        found.versions = lake.version("raced")
        numbers = lake.read("raced")
        found.read_s = time.monotonic() - begin - found.seconds
        found.rows = len(numbers)
        found.wrong += [] if found.versions >= epochs else [f"{found.versions} versions, and not {epochs}"]
        for number in range(2):
            own = [each - number * APART for each in numbers if each // APART == number]
            found.wrong += [] if own == list(range(len(own))) and own else [f"job {number}: rows are lost, or there twice"]
    next(started, None)
    return found


def campaign(folder: Path, epochs: int, epoch_ms: int) -> Iterator[Found]:
    """Each kind of table, one after the other."""
    for kind in KINDS:
        (folder / kind).mkdir()
        yield one(kind, folder / kind, epochs, epoch_ms)
