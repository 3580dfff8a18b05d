"""What an experiment declares. Units are in the names and in :class:`Metric`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from despina.errors import RefusedError
from harness.processes import Processes
from harness.stats import FEWEST_ROUNDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

    from harness.result import Result
    from harness.stats import Estimate
    from harness.tables import Table

FULL, LONG, QUICK = "full", "long", "quick"
"""Modes: how much of an experiment is measured."""

Point = Mapping[str, Any]
"""Where subjects are measured, as JSON holds it: ``{"packet_bytes": 50, "rate_per_s": 20000}``."""


@dataclass(frozen=True)
class Metric:
    """Something measured, once per repeat.

    :ivar name: its key in :class:`Measured`
    :ivar label: with the unit, as tables and axes show it
    :ivar digits: significant ones in tables
    """

    name: str
    label: str
    digits: int = 3


@dataclass(frozen=True)
class Plan:
    """How much is measured: an experiment has a full plan, a quick one (all of it within 30 s), and perhaps a longer one.

    :ivar repeats: rounds; at least 5 in a full plan, for what is claimed
    :ivar seconds: that count, after the warm-up
    :ivar attempts: how often a repeat is made at most, where others' load disturbs it
    :ivar shown_only: the points that no claim asks about: as few rounds as an interval wants do for tables and figures
    """

    points: Sequence[Point]
    repeats: int = 5
    warm_up_s: float = 5.0
    seconds: float = 8.0
    attempts: int = 4
    shown_only: Callable[[Point], bool] = lambda point: False

    def narrowed(self, only: Sequence[str], rounds: int | None, seconds: float | None) -> Plan:
        """A part of it, for looking at one thing: those points only, and other numbers where they are given.

        :param only: ``KEY=VALUE``, of which several of one key are alternatives. A key that some points have narrows those; one
            that none has leaves no point
        :raise RefusedError: no point is left
        """
        wanted: dict[str, list[str]] = {}
        for pair in only:
            key, sign, value = pair.partition("=")
            if not sign:
                raise RefusedError("points", f"{pair!r} is not KEY=VALUE")
            wanted.setdefault(key, []).append(value)
        known = {key for point in self.points for key in point}
        points = [p for p in self.points if all(str(p[key]) in values for key, values in wanted.items() if key in p)]
        if not points or not known >= wanted.keys():
            there = sorted({f"{key}={value}" for point in self.points for key, value in point.items()})
            raise RefusedError("points", "there are no such points", f"there are {', '.join(there) or 'none'}")
        return replace(self, points=points, repeats=rounds or self.repeats, seconds=seconds or self.seconds)


@dataclass(frozen=True)
class Measured:
    """One repeat of one subject: numbers by metric, and whatever else is worth keeping (reports, time series) as JSON."""

    values: Mapping[str, float]
    raw: Any = None


@dataclass(frozen=True)
class Run:
    """One repeat to be made.

    :ivar folder: empty, for this repeat alone
    :ivar lab: for what is built once per experiment (compiled classes), shared by all repeats
    :ivar processes: whatever is started meanwhile is one of them, and is ended at the latest with the repeat
    """

    point: Point
    plan: Plan
    folder: Path
    lab: Path
    processes: Processes

    @property
    def warm_up_s(self) -> float:
        """Seconds that do not count."""
        return self.plan.warm_up_s

    @property
    def seconds(self) -> float:
        """Seconds that count."""
        return self.plan.seconds


@dataclass(frozen=True)
class Subject:
    """One of those that take turns.

    :ivar start_s: how long starting and ending take, roughly, for the time left
    :ivar seconds: how long one repeat takes, where that is not start, warm-up and the plan's seconds
    :ivar at: the points at which it is measured
    :ivar comparable: whether its ratio to the baseline means something
    """

    name: str
    measure: Callable[[Run], Measured]
    start_s: float = 2.0
    seconds: Callable[[Point, Plan], float] | None = None
    at: Callable[[Point], bool] = lambda point: True
    comparable: bool = True

    def estimated_s(self, point: Point, plan: Plan) -> float:
        """About how long one repeat takes."""
        return self.seconds(point, plan) if self.seconds else self.start_s + plan.warm_up_s + plan.seconds


Order = tuple[int, Point, Subject]
"""A run to be made: its round, where, and whose turn it is."""


@dataclass(frozen=True)
class Published:
    """A figure that a seed or a peer published.

    :ivar source: ``001 NEPTUNE, Fig 2``
    :ivar figure: as they put it
    :ivar value: theirs as a number, for the ratio
    :ivar ours: ours in the same unit; None where a run did not measure it
    """

    source: str
    figure: str
    value: float | None = None
    unit: str = ""
    ours: Callable[[Result], float | None] = lambda result: None


@dataclass(frozen=True)
class Claim:
    """What a figure must show: a threshold from below or from above.

    :ivar found: the figure; None where a run did not measure it
    """

    text: str
    found: Callable[[Result], Estimate | float | None]
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Figure:
    """One PNG, ``EXPERIMENT_NAME.png``. Few experiments have one: a figure is kept, and stands in RESULTS.md."""

    name: str
    draw: Callable[[Result, Picture], None]
    size: tuple[float, float] = (8.0, 4.8)


@dataclass(frozen=True)
class Experiment:
    """One file of ``benchmarks/experiments``.

    :ivar name: the file's
    :ivar doc: what is measured and how, one paragraph
    :ivar baseline: the subject that the others are divided by, at the same point
    :ivar compared: the metric whose ratio to the baseline the table shows; the first one if not given
    :ivar full: where it would take much more than six minutes, what tells most of it
    :ivar long: all points and rounds, where the full plan leaves some out
    :ivar needs: each raises a :class:`~despina.errors.StartError` that says what is missing
    :ivar table: in place of the usual one, a row per point and subject
    :ivar remarks: for RESULTS.md: what limits a figure, and how that is known
    """

    name: str
    doc: str
    subjects: Sequence[Subject]
    metrics: Sequence[Metric]
    full: Plan
    quick: Plan
    baseline: str | None = None
    compared: str | None = None
    published: Sequence[Published] = ()
    claims: Sequence[Claim] = ()
    figures: Sequence[Figure] = ()
    needs: Sequence[Callable[[], None]] = ()
    table: Callable[[Result], Table] | None = None
    remarks: str = ""
    long: Plan | None = None

    @property
    def title(self) -> str:
        """The name without what tells a comparison from an experiment."""
        return self.name.removeprefix("compare_")

    def plan(self, mode: str) -> Plan:
        """The plan of that mode: of ``long`` the full one where there is no other."""
        return replace(self.quick, attempts=1) if mode == QUICK else (mode == LONG and self.long) or self.full

    def runs(self, plan: Plan) -> list[Order]:
        """Every repeat in its order: in each round each of its points, there each subject; another subject begins each round."""
        order = []
        for repeat in range(plan.repeats):
            turn = repeat % len(self.subjects)
            subjects = [*self.subjects[turn:], *self.subjects[:turn]]
            points = [point for point in plan.points if repeat < FEWEST_ROUNDS or not plan.shown_only(point)]
            order += [(repeat, point, subject) for point in points for subject in subjects if subject.at(point)]
        return order
