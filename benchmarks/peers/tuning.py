"""The sweep: each peer's tuned row has the settings that were best when they were tried on this machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from harness import book, machine, tables
from harness.book import Summary
from harness.experiment import Point
from harness.result import Result
from harness.tables import Table
from peers.contract import Engine, Variant
from peers.works import WORKS, Work, lower_is_better, where

TUNED = "tuned"
"""The name of the row."""
DEFAULT = "default"
"""The name of an engine's row without settings."""
UNTRIED = "no sweep here has a figure of these settings"
"""Remark of a tuned row."""
SUFFIX = "_tuning"
"""Of the file of a work's sweep."""

Variants = Callable[[Engine, Point], Sequence[Variant]]
"""An engine's rows at a point."""


@dataclass(frozen=True)
class Trying:
    """One setting as it was tried.

    :ivar figure: by the metric that the work chooses by; None for one that failed
    :ivar disturbed: whether others' load disturbed every try
    """

    engine: str
    point: Point
    name: str
    settings: Mapping[str, Any]
    figure: float | None
    disturbed: bool = False


@dataclass(frozen=True)
class Tuning:
    """What sweeps found, by work.

    :ivar origins: on what machine and day
    """

    tried: Mapping[str, Sequence[Trying]] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, *folders: Path) -> Tuning:
        """Of all sweeps in these folders; where several have one, the first one's."""
        files = {work.name: file for folder in reversed(folders) for work in WORKS.values()
                 if (file := sweep_file(folder, work)).is_file()}
        kept = {name: kept_sweep(WORKS[name], file) for name, file in files.items()}
        return cls({name: [Trying(**one) for one in sweep["tried"]] for name, sweep in kept.items()},
                   {name: f"{machine.one_line(sweep['machine'])}, {sweep['at'][:10]}" for name, sweep in kept.items()})

    def rows(self, work: Work) -> Variants:
        """An engine's rows: those that it names, and the tuned one."""
        def at(engine: Engine, point: Point) -> Sequence[Variant]:
            if work.engines and engine.name not in work.engines:
                return []
            given = list(engine.variants(work.asked, point))
            return [*given[:1], *self._tuned(work, engine, point), *given[1:]]
        return at

    def _tuned(self, work: Work, engine: Engine, point: Point) -> list[Variant]:
        """The best of what the engine offers and a sweep tried as it is offered; else what it offers first, which says so."""
        offered = engine.candidates(work.asked, point) if work.tuned_as else []
        if not offered:
            return []
        named = {candidate.name: candidate for candidate in offered}

        def offers(one: Trying) -> bool:
            now = named.get(one.name)       # what failed has kept no settings
            return now is not None and (one.figure is None or dict(now.settings) == dict(one.settings))

        near = self.near(work, engine.name, point)
        tried = [one for one in near if offers(one)]
        found = best(work, [*tried, *(one for one in near if one.name == DEFAULT)]) if tried else None
        if found is None:
            remark = "; ".join(filter(None, (offered[0].remark, UNTRIED)))
            return [replace(offered[0], name=TUNED, remark=remark)]
        return [] if found.name == DEFAULT else [replace(named[found.name], name=TUNED)]

    def best(self, work: Work, engine: str, point: Point) -> Trying | None:
        """What was best for the engine at the sweep's point that is nearest; None where nothing was tried there."""
        return best(work, self.near(work, engine, point))

    def near(self, work: Work, engine: str, point: Point) -> list[Trying]:
        """All that was tried of the engine at the nearest of the points that the sweep is to have, and none of another's.

        After a sweep in part that may be nothing: what is best for small packets is bad for large ones.
        """
        nearest = min(WORKS[work.tuned_as].sweep.points, key=lambda planned: distance(planned, point), default=None)
        return [one for one in self.tried.get(work.tuned_as, []) if one.engine == engine and nearest is not None
                and distance(one.point, nearest) == 0]


def best(work: Work, tried: Sequence[Trying]) -> Trying | None:
    """The best of them by what the work's settings are chosen by; None where none gave a figure.

    What others disturbed counts where nothing else was tried: it looks worse than it is, or than what was tried before.
    """
    sign = 1 if lower_is_better(WORKS[work.tuned_as].chosen_by) else -1
    return min((one for one in tried if one.figure is not None),
               key=lambda one: (one.disturbed, sign * (one.figure or 0.0)), default=None)


def candidates(work: Work) -> Variants:
    """The rows of a sweep: the engine's default, where it has a row of it, and whatever else may be better."""
    def at(engine: Engine, point: Point) -> Sequence[Variant]:
        given = engine.candidates(work.name, point)
        default = [variant for variant in engine.variants(work.name, point) if variant.name == DEFAULT]
        return [*default, *given] if given else []
    return at


def sweep_file(folder: Path, work: Work) -> Path:
    """Where a work's sweep is kept."""
    return folder / f"compare_{work.name}{SUFFIX}.json"


def kept_sweep(work: Work, file: Path) -> Summary:
    """A sweep in short, of a file that holds it so, or holds all of its runs."""
    found = book.load(file)
    if "tried" in found:
        return found
    result = Result.load(file)
    return {"experiment": file.stem, "mode": found["mode"], "at": found["at"], "machine": found["machine"],
            "tried": [asdict(one) | {"figure": one.figure and book.rounded(one.figure)} for one in tryings(work, result)]}


def keep(work: Work, made: Path, folder: Path) -> list[Path]:
    """Keeps a sweep in short; of one that is kept, and was made on the same machine, the engines that were not tried again.

    :param made: the folder of its runs
    :return: what was written
    """
    if not sweep_file(made, work).is_file():
        return []
    found, file = kept_sweep(work, sweep_file(made, work)), sweep_file(folder, work)
    if file.is_file() and machine.kind((before := book.load(file))["machine"]) == machine.kind(found["machine"]):
        again = {one["engine"] for one in found["tried"]}
        found["tried"] = [one for one in before["tried"] if one["engine"] not in again] + found["tried"]
    book.save(found, file)
    return [file]


def tryings(work: Work, result: Result) -> list[Trying]:
    """All settings of a sweep, at each point."""
    found = []
    for point in result.points():
        for subject in result.subjects:
            if kept := [repeat.raw["row"] for repeat in result.kept(subject, point).values()]:
                found.append(Trying(kept[-1]["engine"], point, kept[-1]["variant"], kept[-1]["settings"],
                                    result.median(work.chosen_by, subject, point), result.disturbed(subject, point)))
            elif any(repeat.subject == subject and repeat.point == point for repeat in result.repeats):
                engine, _, name = subject.partition(" ")
                found.append(Trying(engine, point, name, {}, None))
    return found


def distance(a: Point, b: Point) -> float:
    """How far two points are from each other: in sizes, rates and numbers of jobs by their quotients."""
    return sum(abs(math.log(a[key] / b[key])) for key in a.keys() & b.keys() if a[key] > 0 and b[key] > 0)


def table(work: Work, tried: Sequence[Trying]) -> Table:
    """All that was tried, what was best at each point in bold."""
    label = next(metric.label for metric in work.metrics if metric.name == work.chosen_by)
    whole = Tuning({work.tuned_as: tried})
    rows = []
    for one in tried:
        figure = "failed" if one.figure is None else tables.number(one.figure) + ("\\*" if one.disturbed else "")
        best = whole.best(work, one.engine, one.point) == one
        rows.append([one.engine, where(one.point), one.name, f"**{figure}**" if best else figure])
    return Table(["engine", "at", "settings", label], rows)
