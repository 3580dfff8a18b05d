"""All runs of a work: rounds in which the engines take turns, saved after every run, so that a run can be resumed."""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

from despina.errors import DespinaError
from harness import Experiment, Measured, Plan, Point, Result, Run, Subject, machine
from harness.load import Watch
from harness.measure import duration
from harness.processes import FOLDER_PREFIX, Processes, RunError, supervised
from harness.result import Repeat, now
from harness.tables import number
from peers import manufacturing, words
from peers.contract import Engine, Kit, Trial, UnavailableError, Variant
from peers.keeping import Keeping
from peers.manufacturing import Input
from peers.roster import OURS
from peers.tuning import SUFFIX, Variants
from peers.works import Work, where

SWEEP = "sweep"
FAILED = "failed"
"""The folder, beside results, of failed runs' logs."""

FORESEEN = (RunError, UnavailableError, DespinaError, OSError, subprocess.SubprocessError, HTTPException, LookupError,
            ArithmeticError, ValueError)
"""What ends a run, and not the session: whatever an engine may do, and what may come of it."""

Order = tuple[int, Point, Subject]


@dataclass(frozen=True)
class Wanted:
    """What is asked for.

    :ivar plan: the points and how much is measured at each
    :ivar mode: ``full``, ``short``, ``quick``, ``part`` of any of them, or ``sweep``
    :ivar folder: where results go
    :ivar variants: the rows of an engine
    :ivar resume: go on with what is there
    :ivar rows: only these; all if none is named
    :ivar aside: where what is less than the full result that is kept goes; None: nowhere else
    """

    work: Work
    plan: Plan
    mode: str
    folder: Path
    variants: Variants
    resume: bool = False
    rows: Sequence[str] = ()
    aside: Path | None = None

    @property
    def name(self) -> str:
        """Of the experiment and its file."""
        return f"compare_{self.work.name}{SUFFIX if self.mode == SWEEP else ''}"

    @property
    def cold(self) -> bool:
        """Whether engines are not warmed up longer than the plan says."""
        return self.mode == "quick"


@dataclass(frozen=True)
class Limits:
    """When to stop before all is done; ``--resume`` goes on.

    :ivar runs: so many at most
    :ivar until_s: none begins that would be under way at that time (of the monotonic clock)
    """

    runs: int | None = None
    until_s: float = math.inf


def prepare(engines: Sequence[Engine], kit: Kit) -> tuple[list[Engine], dict[str, str]]:
    """Gets all of them ready.

    :return: those that can be had, and why the others cannot
    """
    ready, missing = [], {}
    with supervised(kit.registry, kit.scratch):
        for engine in engines:
            try:
                engine.prepare(kit)
                ready.append(engine)
            except (UnavailableError, OSError) as reason:
                kit.tell(f"{engine.name}: skipped: {reason}")
                missing[engine.name] = str(reason)
    return ready, missing


def subject_name(engine: Engine, variant: Variant) -> str:
    """A row's name."""
    return f"{engine.name} {variant.name}".strip()


class Session:
    """The runs of one work on some engines."""

    def __init__(self, wanted: Wanted, engines: Sequence[Engine], kit: Kit, missing: Mapping[str, str],
                 watch: Callable[[], Watch] = Watch) -> None:
        self._watch = watch
        self.work = wanted.work
        self._wanted = wanted
        self._kit = kit
        self._engines = engines
        self._keeping = Keeping(wanted.work, wanted.folder / f"{wanted.name}.json", wanted.aside)
        self._took: dict[str, float] = {}
        self.experiment = experiment(wanted, self._subjects())
        self.result = self._begun(self._about(missing))

    def _about(self, missing: Mapping[str, str]) -> dict[str, Any]:
        plan = self._wanted.plan
        described = machine.describe()
        return {"experiment": self.experiment.name, "mode": self._wanted.mode, "at": now(), "machine": described,
                "commits": [described["commit"]],
                "plan": {"repeats": plan.repeats, "warm_up_s": plan.warm_up_s, "seconds": plan.seconds},
                "subjects": [subject.name for subject in self.experiment.subjects],
                "engines": {engine.name: engine.describe() for engine in self._engines}, "skipped": dict(missing)}

    def _begun(self, about: dict[str, Any]) -> Result:
        """What there is to go on with, or nothing. A sweep keeps what it does not try again."""
        before = (self._keeping.to_resume(about) if self._wanted.resume
                  else self._keeping.to_add_to(about) if self._wanted.mode == SWEEP else None)
        return Result(about, []) if before is None else self._joined(before, about)

    def _joined(self, before: Result, about: dict[str, Any]) -> Result:
        """What was made before, so far as it stands, as a part of this session."""
        engines = {**before.about["engines"], **about["engines"]}
        skipped = {name: why for name, why in {**before.about["skipped"], **about["skipped"]}.items() if name not in engines}
        kept = [repeat for repeat in before.repeats if self._holds(repeat)]
        if lost := len(before.repeats) - len(kept):
            self._kit.tell(f"{self._keeping.name}: {lost} of its runs are left out: they are made again, or their rows changed")
        if older := _of_other_commits(kept, about["machine"]["commit"]):
            self._kit.tell(f"{self._keeping.name}: {older} of its runs of {OURS} are of other commits; the page says which")
        there = {repeat.subject for repeat in kept}
        subjects = [*(name for name in before.about["subjects"] if name in there), *about["subjects"]]
        joined = {"commits": list(dict.fromkeys([*before.about["commits"], *about["commits"]])),
                  "subjects": list(dict.fromkeys(subjects))}
        return Result({**about, **joined, "at": before.about["at"], "engines": engines, "skipped": skipped}, kept)

    def _holds(self, repeat: Repeat) -> bool:
        """Whether a run of before stands: those of other peers, and of this session's what is not made again."""
        wanted = self._wanted
        ours = any(repeat.subject == engine.name or repeat.subject.startswith(f"{engine.name} ") for engine in self._engines)
        if not ours or (wanted.rows and repeat.subject not in wanted.rows):
            return True
        if repeat.point not in wanted.plan.points:
            whole = self.work.sweep if wanted.mode == SWEEP else self.work.plan(wanted.mode)
            return wanted.mode == "part" or repeat.point in whole.points
        there = self._variants_at(repeat.point).get(repeat.subject)
        if there is None or not wanted.resume:
            return False
        return bool(repeat.failed) or dict(there.settings) == repeat.raw["row"]["settings"]

    def _variants_at(self, point: Point) -> dict[str, Variant]:
        """The rows at a point, by their names."""
        return {subject_name(engine, variant): variant for engine in self._engines
                for variant in self._wanted.variants(engine, point)}

    def _subjects(self) -> list[Subject]:
        """A subject per engine and variant that does the work at some point of the plan."""
        found: dict[str, Subject] = {}
        for engine in self._engines:
            for point in self._wanted.plan.points:
                for variant in self._wanted.variants(engine, point):
                    name = subject_name(engine, variant)
                    if self._wanted.rows and name not in self._wanted.rows:
                        continue
                    found.setdefault(name, self._subject(engine, variant, name))
        return list(found.values())

    def _subject(self, engine: Engine, variant: Variant, name: str) -> Subject:
        def at(point: Point) -> Variant | None:
            return self._variants_at(point).get(name)

        def measure(run: Run) -> Measured:
            chosen = at(run.point)
            assert chosen is not None
            return self._trial(engine, chosen, run)

        def seconds(point: Point, plan: Plan) -> float:
            return engine.start_s + self._warm_up_s(engine) + plan.seconds

        return Subject(name, measure, engine.start_s, seconds, lambda point: at(point) is not None, variant.comparable)

    def _warm_up_s(self, engine: Engine) -> float:
        asked = self._wanted.plan.warm_up_s
        return asked if self._wanted.cold else max(asked, engine.least_warm_up_s)

    def _trial(self, engine: Engine, variant: Variant, run: Run) -> Measured:
        """One run, from nothing to nothing."""
        processes = Processes(self._kit.registry, run.folder)
        warm_up_s = self._warm_up_s(engine)
        given = self._input(run.point)
        if given is not None:
            given.into_memory()
        try:
            trial = Trial(self._wanted.work.name, run.point, variant, run.folder, processes, warm_up_s, run.seconds, given)
            engine.start(trial)
            engine.submit(trial)
            found = engine.sample(trial)
            engine.stop(trial)
        finally:
            processes.stop()
        row = {"engine": engine.name, "variant": variant.name, "settings": dict(variant.settings), "guarantee": variant.guarantee,
               "remark": variant.remark, "comparable": variant.comparable, "warm_up_s": warm_up_s,
               "commit": self.result.about["machine"]["commit"]}
        if trial.configuration:
            row["configuration"] = dict(trial.configuration)
        return Measured(found.values, {"row": row, "found": found.raw})

    def _input(self, point: Point) -> Input | None:
        """What a point's jobs read; made before the first run that needs it."""
        match self._wanted.work.name:
            case "manufacturing":
                return manufacturing.prepared(self._kit, point["rows"])
            case "word_count":
                return Input(words.prepared(self._kit), 0, {})
        return None

    def prepared(self) -> bool:
        """Makes the inputs; says why it cannot, and then there is nothing to run."""
        try:
            with supervised(self._kit.registry, self._kit.scratch):
                for point in self._wanted.plan.points:
                    self._input(point)
        except (UnavailableError, OSError) as reason:
            self._kit.tell(f"{self.work.name}: skipped: {reason}")
            return False
        return True

    def left(self) -> list[Order]:
        """The runs that are not there yet."""
        return [order for order in self.experiment.runs(self._wanted.plan) if not self._made(order)]

    def place(self, order: Order) -> int:
        """Of the run's point in the plan."""
        return self._wanted.plan.points.index(order[1])

    def expected_s(self, order: Order) -> float:
        """How long a run will take: as long as its row's last one did, by its estimate until there was one."""
        _, point, subject = order
        return self._took.get(subject.name, subject.estimated_s(point, self._wanted.plan))

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
            if repeat.failed or not repeat.disturbed or repeat.attempt + 1 >= self._wanted.plan.attempts:
                return told(self._wanted.work, repeat)

    def _of(self, order: Order) -> list[Repeat]:
        number_, point, subject = order
        return [made for made in self.result.repeats
                if (made.repeat, made.point, made.subject) == (number_, point, subject.name)]

    def _made(self, order: Order) -> bool:
        """Whether it was measured; what was disturbed counts when it was tried as often as the plan allows."""
        made = [repeat for repeat in self._of(order) if not repeat.failed]
        return any(not repeat.disturbed for repeat in made) or len(made) >= self._wanted.plan.attempts

    def _once(self, order: Order) -> Repeat:
        """One run; a failed one has no values, and its reason."""
        repeat, point, subject = order
        folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        failed, at = "", now()
        with self._watch() as looking:
            try:
                measured = subject.measure(Run(point, self._wanted.plan, folder, self._kit.scratch))
            except FORESEEN as error:
                measured, failed = Measured({}), self._why(error, folder, subject.name)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        return Repeat(subject.name, dict(point), repeat, len(self._of(order)), dict(measured.values), looking.load.disturbed,
                      looking.load.as_dict(), measured.raw, failed, at)

    def _why(self, error: Exception, folder: Path, name: str) -> str:
        """Why a run failed, and where its logs are from now on."""
        told = str(error) if isinstance(error, RunError) else f"{type(error).__name__}: {error}; logs are in {folder}"
        return told.replace(str(folder), self._keep(folder, name))

    def _keep(self, folder: Path, name: str) -> str:
        """Keeps the logs of a failed run, the last one of each of the work's rows.

        :return: where, seen from the results
        """
        kept = self._wanted.folder / FAILED / f"{self.work.name} {name}".replace(" ", "_")
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for file in [*folder.glob("*.log"), *folder.glob("failed"), *folder.glob("*.properties")]:
            shutil.copy(file, kept)
        return str(kept.relative_to(self._wanted.folder))

    @property
    def folder(self) -> Path:
        """Where its result is, from when it is settled on."""
        return self._keeping.folder

    def settle(self) -> None:
        """Ends the making: what was made takes the place of what is kept, or goes aside."""
        if told := self._keeping.settle(self.result, not self.left()):
            self._kit.tell(f"{self.work.name}: {told}")


def run(sessions: Sequence[Session], limits: Limits, tell: Callable[[str], None]) -> None:
    """Makes the runs that are not there yet, and settles what was made, however it ends.

    The first point of every work, then their second points, then the second round: whenever it is stopped no work has much more
    than another.
    """
    sessions = [session for session in sessions if session.prepared()]
    orders = sorted(((session, order) for session in sessions for order in session.left()),
                    key=lambda made: (made[1][0], made[0].place(made[1])))
    there = sum(len(session.experiment.runs(session.experiment.full)) for session in sessions) - len(orders)
    tell(f"{len(orders)} runs, about {_expected(orders)}" + (f"; {there} are there already" if there else ""))
    try:
        _make(orders, limits, tell)
    finally:
        for session in sessions:
            session.settle()


def _make(orders: Sequence[tuple[Session, Order]], limits: Limits, tell: Callable[[str], None]) -> None:
    for count, (session, order) in enumerate(orders):
        if count == limits.runs or time.monotonic() + session.expected_s(order) > limits.until_s:
            tell(f"stopped with {len(orders) - count} runs left, about {_expected(orders[count:])}: --resume goes on")
            return
        line = session.make(order)
        tell(f"  {count + 1}/{len(orders)} {session.experiment.name.removeprefix('compare_')}: {line}; "
             f"{_expected(orders[count + 1:])} left")


def _expected(orders: Sequence[tuple[Session, Order]]) -> str:
    return duration(sum(session.expected_s(order) for session, order in orders))


def _of_other_commits(kept: Sequence[Repeat], commit: str) -> int:
    """How many of Despina's runs are not of this commit; peers' do not change with it."""
    rows = [repeat.raw["row"] for repeat in kept if not repeat.failed]
    return sum(1 for row in rows if row["engine"] == OURS and row.get("commit", "") != commit)


def experiment(wanted: Wanted, subjects: Sequence[Subject]) -> Experiment:
    """The work as the harness knows experiments."""
    work = wanted.work
    baseline = next((subject.name for subject in subjects if subject.name.startswith(OURS)), None)
    return Experiment(wanted.name, work.doc, subjects, work.metrics, wanted.plan, wanted.plan, baseline, work.compared)


def told(work: Work, repeat: Repeat) -> str:
    """A run in one line."""
    row = ", ".join(filter(None, (repeat.subject, where(repeat.point))))
    if repeat.failed:
        return f"{row}: FAILED: {repeat.failed.splitlines()[0]}"
    shown = [f"{number(repeat.values[m.name])} {m.label}" for m in work.metrics[:2] if m.name in repeat.values]
    disturbed = f"; DISTURBED: {repeat.disturbed}" if repeat.disturbed else ""
    return f"{row}: {', '.join(shown)}{disturbed}"
