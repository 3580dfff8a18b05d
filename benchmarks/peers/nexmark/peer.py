"""NEXMark's queries on a peer, which runs them as the shared ``Runs.java`` has it: four jobs in one process."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from harness.experiment import Measured, Point
from harness.sampling import command_words, jvm_flags
from peers import probe
from peers.contract import Trial
from peers.nexmark import check
from peers.nexmark.events import CHECKED, ENDINGS, FORMATS, GENERATOR, PART, WHEN
from peers.nexmark.figures import LIMIT_S, Spent, figures

HERE = Path(__file__).resolve().parent
COMPARED = "compared"
"""The file for which a peer waits behind the rows that are compared: nothing is timed while they are."""


def forms(engine: str, query: str) -> list[str]:
    """A query's texts in an engine's SQL: ``q7``, and ``q7_windowed`` if there is another form."""
    return sorted(file.stem for file in (HERE / engine).glob("*.sql") if file.stem.partition("_")[0] == query)


def form(engine: str, trial: Trial) -> str:
    """The text of a trial's row: ``q7_windowed`` of row ``windowed``, else ``q7``."""
    query = str(trial.point["query"])
    own = f"{query}_{trial.variant.name}"
    return own if own in forms(engine, query) else query


def texts(engine: str) -> str:
    """A digest of all texts of an engine: one of its settings, so that runs of other texts are not gone on with."""
    found = sorted((HERE / engine).glob("*.sql"))
    return hashlib.sha256(b"\0".join(file.name.encode() + file.read_bytes() for file in found)).hexdigest()[:8]


def settings(engine: str, form: str, point: Point) -> dict[str, Any]:
    """What the peer's process is told, besides the point."""
    home = HERE / engine
    return {"text": home / f"{form}.sql", "tables": home / f"{point['from']}.sql", "checked": CHECKED,
            "part": point["events"] // PART, "rows": str(point["query"] != GENERATOR).lower(), "seed": WHEN["seed"],
            "gap_us": WHEN["gap_us"], "files": ENDINGS.get(point["from"], ""), "format": FORMATS.get(point["from"], "")}


def sample(trial: Trial, *, whole: bool = True) -> Measured:
    """Holds the rows to the oracle's when they are there, and waits for the end.

    :param whole: whether windows by the wall clock that are open when the input ends give rows
    """
    assert trial.input is not None
    query = trial.point["query"]
    _told(trial, "check")
    (pid,) = probe.operator_pids(trial.folder)
    flags = {"query": jvm_flags(command_words(pid))}        # it may end before it is told that it did
    rows = 0
    if query != GENERATOR:
        rows = check.verify(query, trial.folder / "rows", trial.input.file / str(CHECKED), whole=whole)
    (trial.folder / COMPARED).touch()
    (part, _), (all_of_them, peak_bytes) = (_told(trial, run) for run in ("part", "whole"))
    return figures(part, all_of_them, peak_bytes=peak_bytes, rows=rows, flags=flags)


def _told(trial: Trial, run: str) -> tuple[Spent, int]:
    """What a run took, and the most bytes that the process had resident up to its end."""
    found = json.loads(probe.wait_for_file(trial, f"{run}.json", LIMIT_S).read_text())
    return Spent(found["events"], found["seconds"], found["cpu_s"]), 1024 * found["peak_kb"]
