"""Runs an experiment: rounds, subjects in turn, disturbed repeats again, progress and time left on the way."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from despina.errors import DespinaError
from harness import machine
from harness.experiment import Experiment, Measured, Plan, Point, Run, Subject
from harness.load import Watch
from harness.result import Repeat, Result, now

Tell = Callable[[str], None]


def to_stderr(line: str) -> None:
    """Progress for people."""
    print(line, file=sys.stderr, flush=True)


class Clock:
    """How long what is left will take: by what a subject's repeats at a point took, by its estimate until there is one."""

    def __init__(self, experiment: Experiment, plan: Plan) -> None:
        self._plan = plan
        self._left = experiment.runs(plan)
        self._took: dict[tuple[str, str], list[float]] = {}

    def done(self, seconds: float) -> None:
        """The next repeat has been made."""
        _, point, subject = self._left.pop(0)
        self._took.setdefault((subject.name, str(point)), []).append(seconds)

    def skip(self) -> None:
        """The next repeat had been made before."""
        self._left.pop(0)

    @property
    def left_s(self) -> float:
        """Seconds until all is measured, if nothing is disturbed."""
        return sum(self._expected(point, subject) for _, point, subject in self._left)

    def _expected(self, point: Point, subject: Subject) -> float:
        took = self._took.get((subject.name, str(point)))
        return statistics.mean(took) if took else subject.estimated_s(point, self._plan)


@dataclass(frozen=True)
class Keeping:
    """Where what has been measured is kept from the first repeat on, until all of it is: the last whole run stays.

    :ivar whole: the file of a whole run; what is not yet lies beside it
    :ivar resume: go on with what is there already
    """

    whole: Path
    resume: bool = False

    @property
    def path(self) -> Path:
        """The file until then."""
        return self.whole.with_suffix(".part.json")

    def there(self, about: Mapping[str, Any]) -> list[Repeat]:
        """The repeats to go on with: of the same mode and points, commit and machine, else none. Failed ones are made again."""
        if not self.resume or not self.path.is_file():
            return []
        result = Result.load(self.path)
        same = all(result.about.get(key) == about[key] for key in ("machine", "plan", "points", "mode"))
        return [repeat for repeat in result.repeats if same and not repeat.failed]


def run(experiment: Experiment, plan: Plan, mode: str, keeping: Keeping | None = None, *, tell: Tell = to_stderr,
        watch: Callable[[], Watch] = Watch) -> Result:
    """Measures all of a plan.

    :param mode: ``full``, ``quick``, or ``part`` of either
    :raise StartError: something that it needs is missing
    """
    for need in experiment.needs:
        need()
    about, runs, clock = _about(experiment, plan, mode), experiment.runs(plan), Clock(experiment, plan)
    found = keeping.there(about) if keeping else []
    made = {(r.repeat, json.dumps(r.point), r.subject) for r in found}
    before = f", {len(made)} of them made before" if made else ""
    tell(f"{experiment.name}: {len(runs)} runs{before}, about {duration(clock.left_s * (1 - len(made) / len(runs)))}")
    with tempfile.TemporaryDirectory(prefix="despina-bench-") as lab:
        for number, (repeat, point, subject) in enumerate(runs, 1):
            if (repeat, json.dumps(point), subject.name) in made:
                clock.skip()
                continue
            began = time.monotonic()
            attempts = _repeat(_Turn(subject, point, repeat, plan), Path(lab), watch)
            clock.done((time.monotonic() - began) / len(attempts))
            found += attempts
            if keeping:
                Result(about, found).save(keeping.path)
            tell(f"  {number}/{len(runs)} {_told(experiment, attempts[-1])}; {duration(clock.left_s)} left")
    return Result(about, found)


def _about(experiment: Experiment, plan: Plan, mode: str) -> dict[str, Any]:
    return {
        "experiment": experiment.name, "mode": mode,
        "at": now(), "machine": machine.describe(),
        "plan": {"repeats": plan.repeats, "warm_up_s": plan.warm_up_s, "seconds": plan.seconds},
        "runs": len(experiment.runs(plan)), "points": [dict(point) for point in plan.points],
        "subjects": [subject.name for subject in experiment.subjects],
    }


class _Turn:
    """A subject's turn in a round."""

    def __init__(self, subject: Subject, point: Point, repeat: int, plan: Plan) -> None:
        self.subject = subject
        self.point = point
        self.repeat = repeat
        self.plan = plan

    def measure(self, lab: Path) -> Measured:
        with tempfile.TemporaryDirectory(prefix="despina-bench-") as folder:
            return self.subject.measure(Run(self.point, self.plan, Path(folder), lab))


def _repeat(turn: _Turn, lab: Path, watch: Callable[[], Watch]) -> list[Repeat]:
    """Makes a repeat until nobody disturbed it, as often as the plan allows; all attempts are kept, only the last may count."""
    made: list[Repeat] = []
    while not made or (made[-1].disturbed and not made[-1].failed and len(made) < turn.plan.attempts):
        failed, at = "", now()
        with watch() as looking:
            try:
                measured = turn.measure(lab)
            except (DespinaError, OSError, subprocess.SubprocessError, ArithmeticError, LookupError) as error:
                # whatever a system under measurement does ends this repeat, not the run
                measured = Measured({})
                failed = error.message if isinstance(error, DespinaError) else f"{type(error).__name__}: {error}"
        made.append(Repeat(turn.subject.name, dict(turn.point), turn.repeat, len(made), dict(measured.values),
                           looking.load.disturbed, looking.load.as_dict(), measured.raw, failed, at))
    return made


def _told(experiment: Experiment, repeat: Repeat) -> str:
    from harness.tables import number, where
    at = f", {where(repeat.point)}" if repeat.point else ""
    shown = _first(experiment, repeat.values)
    again = f" (attempt {repeat.attempt + 1})" if repeat.attempt else ""
    disturbed = f"; DISTURBED: {repeat.disturbed}" if repeat.disturbed else ""
    if repeat.failed:
        return f"{repeat.subject}{at}: FAILED: {repeat.failed}"
    return f"{repeat.subject}{at}: {number(shown[1])} {shown[0]}{again}{disturbed}"


def _first(experiment: Experiment, values: Mapping[str, float]) -> tuple[str, float | None]:
    return next(((metric.label, values[metric.name]) for metric in experiment.metrics if metric.name in values), ("", None))


def duration(seconds: float) -> str:
    """``45 s``, ``3 min``, ``2 h 10 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
