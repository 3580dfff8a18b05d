"""All runs of a work: rounds in which the engines take turns, saved after every run, so that a run can be resumed."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from compare import manufacturing, words
from compare.engine import Engine, Kit, Trial, UnavailableError, Variant
from compare.manufacturing import Input
from compare.processes import FOLDER_PREFIX, Processes, RunError
from compare.works import Work
from harness import Experiment, Measured, Plan, Point, Result, Run, Subject, machine
from harness.load import Watch
from harness.measure import duration
from harness.result import Repeat
from harness.tables import cell, number

Order = tuple[int, Point, Subject]


@dataclass(frozen=True)
class Wanted:
    """What is asked for.

    :ivar mode: ``full``, ``quick`` or ``part``
    :ivar folder: where results go
    :ivar resume: go on with what is there
    :ivar most_runs: then stop; None for no limit
    :ivar rows: only these; all if none is named
    """

    work: Work
    plan: Plan
    mode: str
    folder: Path
    resume: bool = False
    most_runs: int | None = None
    rows: Sequence[str] = ()


def prepare(engines: Sequence[Engine], kit: Kit) -> tuple[list[Engine], dict[str, str]]:
    """Gets all of them ready.

    :return: those that can be had, and why the others cannot
    """
    ready, missing = [], {}
    for engine in engines:
        try:
            engine.prepare(kit)
            ready.append(engine)
        except UnavailableError as reason:
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
        self._wanted = wanted
        self._kit = kit
        self._engines = engines
        self._file = result_file(wanted.folder, wanted.work.name)
        self.experiment = experiment(wanted.work, wanted.plan, self._subjects())
        self._result = Result(self._about(missing), [])
        if wanted.resume and self._file.is_file():
            self._result = replace(self._result, repeats=Result.load(self._file).repeats)

    def _about(self, missing: Mapping[str, str]) -> dict[str, Any]:
        plan = self._wanted.plan
        return {"experiment": self.experiment.name, "mode": self._wanted.mode,
                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": machine.describe(),
                "plan": {"repeats": plan.repeats, "warm_up_s": plan.warm_up_s, "seconds": plan.seconds},
                "subjects": [subject.name for subject in self.experiment.subjects],
                "engines": {engine.name: engine.describe() for engine in self._engines}, "skipped": dict(missing)}

    def _subjects(self) -> list[Subject]:
        """A subject per engine and variant that does the work at some point of the plan."""
        found: dict[str, Subject] = {}
        for engine in self._engines:
            for point in self._wanted.plan.points:
                for variant in engine.variants(self._wanted.work.name, point):
                    name = subject_name(engine, variant)
                    if self._wanted.rows and name not in self._wanted.rows:
                        continue
                    found.setdefault(name, self._subject(engine, variant.name, name))
        return list(found.values())

    def _subject(self, engine: Engine, variant: str, name: str) -> Subject:
        def at(point: Point) -> Variant | None:
            there = engine.variants(self._wanted.work.name, point)
            return next((each for each in there if each.name == variant), None)

        def measure(run: Run) -> Measured:
            chosen = at(run.point)
            assert chosen is not None
            return self._trial(engine, chosen, run)

        quick = self._wanted.mode == "quick"

        def seconds(point: Point, plan: Plan) -> float:
            return engine.start_s + self._warm_up_s(engine, plan, quick) + plan.seconds

        return Subject(name, measure, engine.start_s, seconds, lambda point: at(point) is not None)

    @staticmethod
    def _warm_up_s(engine: Engine, plan: Plan, quick: bool) -> float:
        return plan.warm_up_s if quick else max(plan.warm_up_s, engine.least_warm_up_s)

    def _trial(self, engine: Engine, variant: Variant, run: Run) -> Measured:
        """One run, from nothing to nothing."""
        processes = Processes(self._kit.registry, run.folder)
        warm_up_s = self._warm_up_s(engine, run.plan, self._wanted.mode == "quick")
        try:
            trial = Trial(self._wanted.work.name, run.point, variant, run.folder, processes, warm_up_s, run.seconds,
                          self._input(run.point))
            engine.start(trial)
            engine.submit(trial)
            found = engine.sample(trial)
            engine.stop(trial)
        finally:
            processes.stop()
        row = {"engine": engine.name, "variant": variant.name, "settings": dict(variant.settings), "guarantee": variant.guarantee,
               "remark": variant.remark, "warm_up_s": warm_up_s}
        return Measured(found.values, {"row": row, "found": found.raw})

    def _input(self, point: Point) -> Input | None:
        """What a point's jobs read; made before the first run that needs it."""
        match self._wanted.work.name:
            case "manufacturing":
                return manufacturing.prepared(self._kit, point["rows"])
            case "word_count":
                return Input(words.prepared(self._kit), {})
        return None

    def run(self) -> Result:
        """Makes all runs that are not there yet; the file is whole after each."""
        for point in self._wanted.plan.points:
            self._input(point)
        left = [order for order in self.experiment.runs(self._wanted.plan) if not self._made(order)]
        spent = len(self.experiment.runs(self._wanted.plan)) - len(left)
        self._kit.tell(f"{self.experiment.name}: {len(left)} runs, about {duration(self._expected_s(left, {}))}"
                       + (f"; {spent} are there already" if spent else ""))
        took: dict[str, float] = {}
        for count, order in enumerate(left[:self._wanted.most_runs], 1):
            began = time.monotonic()
            repeat = self._once(order)
            took[repeat.subject] = time.monotonic() - began
            self._result = replace(self._result, repeats=[*self._result.repeats, repeat])
            self._save()
            rest = self._expected_s(left[count:], took)
            self._kit.tell(f"  {spent + count}/{spent + len(left)} {told(self._wanted.work, repeat)}; {duration(rest)} left")
        return self._result

    def _expected_s(self, left: Sequence[Order], took: Mapping[str, float]) -> float:
        """How long runs will take: as long as the row's last one did, by its estimate until there was one."""
        return sum(took.get(subject.name, subject.estimated_s(point, self._wanted.plan)) for _, point, subject in left)

    def _made(self, order: Order) -> bool:
        number_, point, subject = order
        return any(made.repeat == number_ and made.point == point and made.subject == subject.name and not made.disturbed
                   and made.values for made in self._result.repeats)

    def _once(self, order: Order) -> Repeat:
        """One run; a failed one has no values, and its reason."""
        repeat, point, subject = order
        folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        with self._watch() as looking:
            try:
                measured = subject.measure(Run(point, self._wanted.plan, folder, self._kit.scratch))
            except RunError as failed:
                kept = self._keep(folder, subject.name)
                measured = Measured({}, {"error": str(failed).replace(str(folder), str(kept))})
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        attempt = sum(1 for made in self._result.repeats
                      if (made.repeat, made.point, made.subject) == (repeat, point, subject.name))
        return Repeat(subject.name, dict(point), repeat, attempt, dict(measured.values), looking.load.disturbed,
                      looking.load.as_dict(), measured.raw)

    def _keep(self, folder: Path, name: str) -> Path:
        """The logs of a failed run, the last one of each row."""
        kept = self._wanted.folder / "failed" / name.replace(" ", "_")
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for file in [*folder.glob("*.log"), *folder.glob("failed"), *folder.glob("*.properties")]:
            shutil.copy(file, kept)
        return kept

    def _save(self) -> None:
        part = self._file.with_suffix(".part")
        self._result.save(part)
        part.replace(self._file)


def experiment(work: Work, plan: Plan, subjects: Sequence[Subject]) -> Experiment:
    """The work as the harness knows experiments."""
    baseline = next((subject.name for subject in subjects if subject.name.startswith("despina")), None)
    return Experiment(f"compare_{work.name}", work.doc, subjects, work.metrics, plan, plan, baseline, work.compared)


def result_file(folder: Path, work: str) -> Path:
    """Where a work's runs are kept."""
    return folder / f"compare_{work}.json"


def told(work: Work, repeat: Repeat) -> str:
    """A run in one line."""
    where = ", ".join(f"{key.replace('_', ' ')} {cell(value)}" for key, value in repeat.point.items())
    if not repeat.values:
        return f"{repeat.subject}, {where}: FAILED: {str(repeat.raw['error']).splitlines()[0]}"
    shown = [f"{number(repeat.values[m.name])} {m.label}" for m in work.metrics[:2] if m.name in repeat.values]
    disturbed = f"; DISTURBED: {repeat.disturbed}" if repeat.disturbed else ""
    return f"{repeat.subject}, {where}: {', '.join(shown)}{disturbed}"
