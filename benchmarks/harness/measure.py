"""Makes the runs of experiments: subjects take turns, disturbed runs are made again, all are kept at once, time left is told."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from http.client import HTTPException
from pathlib import Path
from typing import Any

from despina.errors import DespinaError
from harness import machine
from harness.experiment import Experiment, Measured, Order, Plan, Run
from harness.keeping import Keeping
from harness.load import Watch
from harness.processes import FOLDER_PREFIX, Processes, RunError, registry
from harness.result import Repeat, Result, now
from harness.tables import number, where

FAILED = "failed"
"""The folder, beside results, of failed runs' logs."""

FORESEEN = (DespinaError, OSError, subprocess.SubprocessError, HTTPException, LookupError, ArithmeticError, ValueError)
"""What ends a run, and not the session: whatever a system under measurement may do, and what may come of it."""

Tell = Callable[[str], None]


def to_stderr(line: str) -> None:
    """Progress for people."""
    print(line, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Desk:
    """Where and how runs are made.

    :ivar lab: for what is built once and shared by all runs
    :ivar registry: where the marks of running harnesses stand (:mod:`harness.processes`)
    :ivar watch: looks on for others' load
    """

    lab: Path
    registry: Path
    tell: Tell = to_stderr
    watch: Callable[[], Watch] = Watch


@dataclass(frozen=True)
class Limits:
    """When to stop before all is done; ``--resume`` goes on.

    :ivar runs: so many at most
    :ivar until_s: none begins that would be under way at that time (of the monotonic clock)
    """

    runs: int | None = None
    until_s: float = math.inf


UNLIMITED = Limits()


class Session:
    """The runs of one experiment by one plan.

    :ivar result: what was measured so far
    """

    def __init__(self, experiment: Experiment, plan: Plan, result: Result, keeping: Keeping, desk: Desk) -> None:
        """Goes on with what there is.

        :param result: how this is measured, and what was made before
        """
        self.experiment = experiment
        self.result = result
        self._plan = plan
        self._keeping = keeping
        self._desk = desk
        self._took: dict[str, float] = {}

    def left(self) -> list[Order]:
        """The runs that are not there yet."""
        return [order for order in self.experiment.runs(self._plan) if not self._made(order)]

    def there(self) -> int:
        """How many are."""
        return len(self.experiment.runs(self._plan)) - len(self.left())

    def place(self, order: Order) -> int:
        """Of the run's point in the plan."""
        return self._plan.points.index(order[1])

    def expected_s(self, order: Order) -> float:
        """How long a run will take: as long as its subject's last one did, by its estimate until there was one."""
        _, point, subject = order
        return self._took.get(subject.name, subject.estimated_s(point, self._plan))

    def prepared(self) -> bool:
        """Makes what the runs need; False if there is nothing to run then, which it has said.

        :raise StartError: something is missing
        """
        for need in self.experiment.needs:
            need()
        return True

    def make(self, order: Order) -> str:
        """Makes a run, again if others disturbed it; the file is whole after each.

        :return: the run in one line
        """
        while True:
            began = time.monotonic()
            repeat = self._once(order)
            self._took[repeat.subject] = time.monotonic() - began
            self.result = replace(self.result, repeats=[*self.result.repeats, repeat])
            self._keeping.save(self.result)
            if repeat.failed or not repeat.disturbed or repeat.attempt + 1 >= self._plan.attempts:
                return told(self.experiment, repeat)

    def _of(self, order: Order) -> list[Repeat]:
        number_, point, subject = order
        return [made for made in self.result.repeats
                if (made.repeat, made.point, made.subject) == (number_, point, subject.name)]

    def _made(self, order: Order) -> bool:
        """Whether it was measured; what was disturbed counts when it was tried as often as the plan allows."""
        made = [repeat for repeat in self._of(order) if not repeat.failed]
        return any(not repeat.disturbed for repeat in made) or len(made) >= self._plan.attempts

    def _once(self, order: Order) -> Repeat:
        """One run, from nothing to nothing: what it started is ended. A failed one has no values, and its reason."""
        repeat, point, subject = order
        folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        failed, at = "", now()
        with self._desk.watch() as looking:
            processes = Processes(self._desk.registry, folder)
            try:
                with processes.marking():
                    measured = subject.measure(Run(point, self._plan, folder, self._desk.lab, processes))
            except FORESEEN as error:
                measured, failed = Measured({}), self._why(error, folder, subject.name)
            finally:
                processes.stop()
                shutil.rmtree(folder, ignore_errors=True)
        return Repeat(subject.name, dict(point), repeat, len(self._of(order)), dict(measured.values), looking.load.disturbed,
                      looking.load.as_dict(), measured.raw, failed, at)

    def _why(self, error: Exception, folder: Path, name: str) -> str:
        """Why a run failed, and where its logs are from now on."""
        said = error.message if isinstance(error, DespinaError) else str(error)
        words = said if isinstance(error, RunError) else f"{type(error).__name__}: {said}; logs are in {folder}"
        return words.replace(str(folder), self._keep(folder, name))

    def _keep(self, folder: Path, name: str) -> str:
        """Keeps the logs of a failed run, the last one of each subject.

        :return: where, seen from the results
        """
        kept = self._keeping.home / FAILED / f"{self.experiment.title} {name}".replace(" ", "_")
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for pattern in ("*.log", "failed", "*.properties", "*.txt"):
            for file in folder.glob(pattern):
                shutil.copy(file, kept)
        return str(kept.relative_to(self._keeping.home))

    @property
    def folder(self) -> Path:
        """Where its result is, from when it is settled on."""
        return self._keeping.folder

    def settle(self) -> None:
        """Ends the making: what was made takes the place of what is kept, or goes aside."""
        if words := self._keeping.settle(self.result, not self.left()):
            self._desk.tell(f"{self.experiment.title}: {words}")


def run(sessions: Sequence[Session], limits: Limits, tell: Tell) -> None:
    """Makes the runs that are not there yet, and settles what was made, however it ends.

    The first point of every experiment, then their second points, then the second round: whenever it is stopped none has much
    more than another.
    """
    sessions = [session for session in sessions if not session.left() or session.prepared()]
    orders = sorted(((session, order) for session in sessions for order in session.left()),
                    key=lambda made: (made[1][0], made[0].place(made[1])))
    there = sum(session.there() for session in sessions)
    before = f", {there} of them made before" if there else ""
    tell(f"{', '.join(session.experiment.title for session in sessions)}: {len(orders) + there} runs{before}, "
         f"about {_expected(orders)}")
    try:
        _make(orders, limits, tell)
    finally:
        for session in sessions:
            session.settle()


def _make(orders: Sequence[tuple[Session, Order]], limits: Limits, tell: Tell) -> None:
    for count, (session, order) in enumerate(orders):
        if count == limits.runs or time.monotonic() + session.expected_s(order) > limits.until_s:
            tell(f"stopped with {len(orders) - count} runs left, about {_expected(orders[count:])}: --resume goes on")
            return
        line = session.make(order)
        tell(f"  {count + 1}/{len(orders)} {session.experiment.title}: {line}; {_expected(orders[count + 1:])} left")


def _expected(orders: Sequence[tuple[Session, Order]]) -> str:
    return duration(sum(session.expected_s(order) for session, order in orders))


class Resume(Enum):
    """What a run does with what is there: of the same mode, commit and machine it may go on. Failed runs are made again."""

    NO = "it begins anew"
    YES = "it goes on, and is refused where that is of a run unlike it"
    IF_ALIKE = "it goes on, or begins anew"


def one(experiment: Experiment, plan: Plan, mode: str, keeping: Keeping, resume: Resume = Resume.NO,
        limits: Limits = UNLIMITED, *, tell: Tell = to_stderr, watch: Callable[[], Watch] = Watch) -> Result:
    """Measures all of a plan of one experiment, or as much of it as the limits allow.

    :param mode: ``full``, ``long``, ``quick``, or ``part`` of any of them
    :raise StartError: something that it needs is missing
    """
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX) as lab:
        session = Session(experiment, plan, _begun(experiment, plan, mode, keeping, resume), keeping,
                          Desk(Path(lab), registry(), tell, watch))
        run([session], limits, tell)
    return session.result


def left_s(experiment: Experiment, plan: Plan, mode: str, keeping: Keeping) -> float:
    """About how long what is left of it takes; 0 if it is done at this commit, on this machine."""
    begun = _begun(experiment, plan, mode, keeping, Resume.IF_ALIKE)
    session = Session(experiment, plan, begun, keeping, Desk(Path(), registry()))
    return sum(session.expected_s(order) for order in session.left())


def _begun(experiment: Experiment, plan: Plan, mode: str, keeping: Keeping, resume: Resume) -> Result:
    facts = about(experiment, plan, mode) | {"runs": len(experiment.runs(plan)), "points": [dict(point) for point in plan.points]}
    before = None if resume is Resume.NO else keeping.to_resume(facts, anew=resume is Resume.IF_ALIKE)
    made = [repeat for repeat in before.repeats if not repeat.failed and repeat.point in plan.points] if before else []
    return Result(facts, made)


def about(experiment: Experiment, plan: Plan, mode: str) -> dict[str, Any]:
    """When, where and how it is measured, as results tell it."""
    return {"experiment": experiment.name, "mode": mode, "at": now(), "machine": machine.describe(),
            "plan": {"repeats": plan.repeats, "warm_up_s": plan.warm_up_s, "seconds": plan.seconds},
            "subjects": [subject.name for subject in experiment.subjects]}


def expected_s(experiment: Experiment, plan: Plan) -> float:
    """About how long a plan takes, if nothing is disturbed."""
    return sum(subject.estimated_s(point, plan) for _, point, subject in experiment.runs(plan))


def told(experiment: Experiment, repeat: Repeat) -> str:
    """A run in one line."""
    row = ", ".join(filter(None, (repeat.subject, where(repeat.point))))
    if repeat.failed:
        return f"{row}: FAILED: {repeat.failed.splitlines()[0]}"
    values: Mapping[str, float] = repeat.values
    shown = [f"{number(values[metric.name])} {metric.label}" for metric in experiment.metrics if metric.name in values][:2]
    again = f" (attempt {repeat.attempt + 1})" if repeat.attempt else ""
    disturbed = f"; DISTURBED: {repeat.disturbed}" if repeat.disturbed else ""
    return f"{row}: {', '.join(shown)}{again}{disturbed}"


def duration(seconds: float) -> str:
    """``45 s``, ``3 min``, ``2 h 10 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
