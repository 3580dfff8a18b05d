"""A comparison as the harness measures it: a subject per engine and configuration, and what there is to go on with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from despina.errors import StartError
from harness import measure
from harness.experiment import Experiment, Measured, Plan, Point, Run, Subject
from harness.keeping import Keeping
from harness.measure import Desk
from harness.processes import supervised
from harness.result import Repeat, Result
from peers import manufacturing, words
from peers.contract import Engine, Kit, Trial, UnavailableError, Variant
from peers.manufacturing import Input
from peers.nexmark import events
from peers.roster import OURS
from peers.tuning import SUFFIX, Variants
from peers.works import Work, is_full

SWEEP = "sweep"


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


def with_rows(engines: Sequence[Engine], wanted: Sequence[Wanted]) -> list[Engine]:
    """Those that have a row somewhere."""
    return [engine for engine in engines
            if any(each.variants(engine, point) for each in wanted for point in each.plan.points)]


def prepare(engines: Sequence[Engine], kit: Kit, rows: Sequence[Engine] | None = None) -> tuple[list[Engine], dict[str, str]]:
    """Gets them ready.

    :param rows: those that have any: for the others nothing is fetched; None: all of them
    :return: those that can be had, and why the others cannot
    """
    ready, missing = [], {}
    with supervised(kit.registry, kit.scratch):
        for engine in engines:
            try:
                if rows is None or engine in rows:
                    engine.prepare(kit)
                ready.append(engine)
            except (StartError, OSError) as reason:
                missing[engine.name] = reason.message if isinstance(reason, StartError) else str(reason)
                kit.tell(f"{engine.name}: skipped: {missing[engine.name]}")
    return ready, missing


def subject_name(engine: Engine, variant: Variant) -> str:
    """A row's name."""
    return f"{engine.name} {variant.name}".strip()


class Comparison(measure.Session):
    """The runs of one work on some engines."""

    def __init__(self, wanted: Wanted, engines: Sequence[Engine], kit: Kit, missing: Mapping[str, str]) -> None:
        self.work = wanted.work
        self._wanted = wanted
        self._kit = kit
        self._engines = engines
        self._keeping = Keeping(wanted.folder / f"{wanted.name}.json", lambda result: is_full(wanted.work, result), wanted.aside)
        made = experiment(wanted, self._subjects())
        begun = self._begun(self._about(made, missing))
        super().__init__(made, wanted.plan, begun, self._keeping, Desk(kit.scratch, kit.registry, kit.tell, kit.watch))

    def _about(self, made: Experiment, missing: Mapping[str, str]) -> dict[str, Any]:
        told = measure.about(made, self._wanted.plan, self._wanted.mode)
        return told | {"commits": [told["machine"]["commit"]], "skipped": dict(missing),
                       "engines": {engine.name: engine.describe() for engine in self._engines}}

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
        return asked if self._wanted.cold or self.work.ends else max(asked, engine.least_warm_up_s)

    def _trial(self, engine: Engine, variant: Variant, run: Run) -> Measured:
        """One run, from nothing to nothing."""
        warm_up_s = self._warm_up_s(engine)
        given = self._input(run.point)
        if given is not None:
            given.into_memory()
        trial = Trial(self.work.asked, run.point, variant, run.folder, run.processes, warm_up_s, run.seconds, given)
        engine.start(trial)
        engine.submit(trial)
        found = engine.sample(trial)
        engine.stop(trial)
        row = {"engine": engine.name, "variant": variant.name, "settings": dict(variant.settings), "guarantee": variant.guarantee,
               "remark": variant.remark, "comparable": variant.comparable, "warm_up_s": warm_up_s,
               "commit": self.result.about["machine"]["commit"]}
        if trial.configuration:
            row["configuration"] = dict(trial.configuration)
        return Measured(found.values, {"row": row, "found": found.raw})

    def _input(self, point: Point) -> Input | None:
        """What a point's jobs read; made before the first run that needs it."""
        match self.work.asked:
            case "manufacturing":
                return manufacturing.prepared(self._kit, point["rows"])
            case "word_count":
                return Input(words.prepared(self._kit), 0, {})
            case "nexmark":
                return events.prepared(self._kit, events.read_at(point))
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


def _of_other_commits(kept: Sequence[Repeat], commit: str) -> int:
    """How many of Despina's runs are not of this commit; peers' do not change with it."""
    rows = [repeat.raw["row"] for repeat in kept if not repeat.failed]
    return sum(1 for row in rows if row["engine"] == OURS and row.get("commit", "") != commit)


def experiment(wanted: Wanted, subjects: Sequence[Subject]) -> Experiment:
    """The work as the harness knows experiments."""
    work = wanted.work
    baseline = next((subject.name for subject in subjects if subject.name.startswith(OURS)), None)
    return Experiment(wanted.name, work.doc, subjects, work.metrics, wanted.plan, wanted.plan, baseline, work.compared)
