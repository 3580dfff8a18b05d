"""NEXMark's queries on Despina: four jobs in one engine."""

from __future__ import annotations

import re
import time
from pathlib import Path

from despina.engine import Engine
from harness.api import ended, job, session
from harness.experiment import Measured
from harness.sampling import command_words, cpu_seconds, jvm_flags
from peers.contract import Trial
from peers.nexmark import check
from peers.nexmark.events import CHECKED, ENDINGS, FORMATS, GENERATOR, PART, graph
from peers.nexmark.figures import LIMIT_S, Spent, figures


def run(trial: Trial) -> Measured:
    """Holds the rows of some events to the oracle's, then runs the query over a part of the events and over all of them.

    The part runs once before: what a JVM compiles is in neither of the two.
    """
    assert trial.input is not None
    query, home, events = trial.point["query"], trial.input.file, trial.point["events"]
    with session() as engine:
        out = None if query == GENERATOR else trial.folder / "rows"
        _once(trial, engine, CHECKED, out)
        rows = check.verify(query, out, home / str(CHECKED)) if out else 0
        _, part, whole = (_once(trial, engine, count) for count in (events // PART, events // PART, events))
        pids = [member.pid for member in trial.processes.members()]
        flags = {str(pid): found for pid in pids if (found := jvm_flags(command_words(pid)))}
        return figures(part, whole, peak_bytes=sum(map(peak_bytes, pids)), rows=rows, flags=flags)


def _once(trial: Trial, engine: Engine, events: int, output: Path | None = None) -> Spent:
    """Runs the query to its end."""
    assert trial.input is not None
    ending, form = (named.get(trial.point["from"]) for named in (ENDINGS, FORMATS))
    folder = None if ending is None else trial.input.file / f"{events}{ending}"
    content = graph(trial.point["query"], events, folder, output, form or "")
    before, began = _cpu_s(trial), time.monotonic()
    with job(content, engine) as running:
        ended([running], LIMIT_S)
        seconds = time.monotonic() - began
    return Spent(events, seconds, _cpu_s(trial) - before)


def _cpu_s(trial: Trial) -> float:
    return sum(cpu_seconds(member.pid for member in trial.processes.members()).values())


def peak_bytes(pid: int) -> int:
    """The most memory that a process has had resident; 0 for one that has gone."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0
