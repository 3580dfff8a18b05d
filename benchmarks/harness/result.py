"""What an experiment found: every repeat, as the JSON file holds it, and the questions that tables, figures and claims ask."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from harness import stats
from harness.experiment import FULL, LONG, Point
from harness.stats import Estimate


def now() -> str:
    """The time, UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@dataclass(frozen=True)
class Repeat:
    """One repeat of one subject at one point.

    :ivar attempt: 0 for the first; a later one follows a disturbed one
    :ivar disturbed: why it does not count; empty if it does
    :ivar load: what others took meanwhile
    :ivar failed: why there are no values; empty if there are
    :ivar at: when it began (UTC); empty in what was kept before this was
    """

    subject: str
    point: Point
    repeat: int
    attempt: int
    values: Mapping[str, float]
    disturbed: str = ""
    load: Mapping[str, float] = field(default_factory=dict)
    raw: Any = None
    failed: str = ""
    at: str = ""


def ratio_of(metric: str, pairs: Sequence[tuple[Repeat, Repeat]]) -> Estimate | None:
    """The ratio of medians over pairs of repeats; None where there is none, or a second one is 0."""
    below = [theirs.values[metric] for _, theirs in pairs]
    return stats.ratio([ours.values[metric] for ours, _ in pairs], below) if below and min(below) > 0 else None


@dataclass(frozen=True)
class Result:
    """All repeats of one run of an experiment.

    :ivar about: experiment, mode, time, machine, plan
    """

    about: Mapping[str, Any]
    repeats: Sequence[Repeat]

    @property
    def full(self) -> bool:
        """Whether it is of a full run, or a longer one: a quick one, or a part, shows that it works and no more."""
        return self.about.get("mode") in (FULL, LONG)

    @property
    def cut(self) -> bool:
        """Whether runs of its plan were not made, not even to fail."""
        return self.made < int(self.about.get("runs", 0))

    @property
    def made(self) -> int:
        """How many runs of its plan were made, however often."""
        return len({(repeat.repeat, json.dumps(repeat.point), repeat.subject) for repeat in self.repeats})

    @property
    def subjects(self) -> list[str]:
        """Those that were measured, in their order."""
        return list(dict.fromkeys(self.about.get("subjects") or (r.subject for r in self.repeats)))

    def points(self, **where: Any) -> list[Point]:
        """The points that were measured, in their order; only those with these values."""
        found: dict[str, Point] = {json.dumps(repeat.point): repeat.point for repeat in self.repeats}
        return [point for point in found.values() if where.items() <= point.items()]

    def kept(self, subject: str, point: Point) -> dict[int, Repeat]:
        """The repeats that count, by round: what was disturbed only if nothing else was measured there."""
        last = self.last(subject, point)
        clean = {number: r for number, r in last.items() if not r.disturbed}
        return clean or last

    def last(self, subject: str, point: Point) -> dict[int, Repeat]:
        """The last repeat of each round that gave figures, disturbed or not."""
        return {r.repeat: r for r in self.repeats if r.subject == subject and r.point == point and not r.failed}

    def pairs(self, metric: str, subject: str, baseline: str, point: Point, other: Point | None = None,
              disturbed: bool = False) -> list[tuple[Repeat, Repeat]]:
        """What both have of the same rounds.

        :param other: the baseline's point, where it is another
        :param disturbed: whether what does not count is among it
        """
        of = self.last if disturbed else self.kept
        ours, theirs = of(subject, point), of(baseline, point if other is None else other)
        return [(ours[k], theirs[k]) for k in ours if k in theirs and metric in ours[k].values and metric in theirs[k].values]

    def disturbed(self, subject: str, point: Point) -> bool:
        """Whether all there is was disturbed."""
        kept = self.kept(subject, point)
        return bool(kept) and all(r.disturbed for r in kept.values())

    def values(self, metric: str, subject: str, point: Point) -> list[float]:
        """One number per round."""
        return [r.values[metric] for r in self.kept(subject, point).values() if metric in r.values]

    def median(self, metric: str, subject: str, point: Point) -> float | None:
        """The median; None where nothing was measured."""
        values = self.values(metric, subject, point)
        return float(statistics.median(values)) if values else None

    def middle(self, subject: str, point: Point, metric: str) -> Repeat | None:
        """The repeat whose number is nearest to the median: the one that a figure of one run shows."""
        middle = self.median(metric, subject, point)
        kept = [r for r in self.kept(subject, point).values() if metric in r.values]
        return min(kept, key=lambda r: abs(r.values[metric] - (middle or 0.0))) if kept else None

    def estimate(self, metric: str, subject: str, point: Point) -> Estimate | None:
        """The median with its interval."""
        values = self.values(metric, subject, point)
        return stats.median(values) if values else None

    def ratio(self, metric: str, subject: str, baseline: str, point: Point, other: Point | None = None) -> Estimate | None:
        """The ratio of medians over the rounds that both have; None where one of them was not measured, or is 0.

        :param other: the baseline's point, where it is another
        """
        return ratio_of(metric, self.pairs(metric, subject, baseline, point, other))

    def only(self, **where: Any) -> Point | None:
        """The one point with these values, the first of several; None where it was not measured."""
        found = self.points(**where)
        return found[0] if found else None

    def save(self, path: Path) -> None:
        """Writes the JSON file, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {**self.about, "repeats": [asdict(repeat) for repeat in self.repeats]}
        beside = path.with_name(path.name + ".new")
        beside.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        beside.replace(path)

    @classmethod
    def load(cls, path: Path) -> Result:
        """Reads it."""
        content = json.loads(path.read_text(encoding="utf-8"))
        repeats = [Repeat(**repeat) for repeat in content.pop("repeats")]
        return cls(content, repeats)
