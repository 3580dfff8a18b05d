"""Made-up engines and runs of the comparison, for its tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.experiment import Measured, Plan, Point
from harness.load import Load, Watch
from harness.measure import Limits, run
from harness.processes import RunError
from harness.result import Repeat, Result
from peers.contract import Engine, Kit, Trial, UnavailableError, Variant
from peers.session import SWEEP, Comparison, Wanted
from peers.tuning import Tuning, candidates
from peers.works import RELAY, Work


class Quiet(Watch):
    """A machine of our own."""

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.load = Load(0.0, 0.0)


class Loud(Watch):
    """A machine on which others are at work."""

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.load = Load(0.0, 0.5)


def row(subject: str) -> dict[str, Any]:
    """What a repeat keeps of its row."""
    engine, _, variant = subject.rpartition(" ")
    return {"row": {"engine": engine, "variant": variant, "settings": {}, "guarantee": "none", "remark": "", "warm_up_s": 1,
                    "comparable": variant != "fused"},
            "found": {"costs": {"resident_bytes": [1, 2], "socket_memory_bytes": [1, 2]}}}


def made_up(work: Work, speeds: dict[str, float]) -> Result:
    """A full run: throughput in proportion to each row's speed, everything else inversely."""
    def values(speed: float, k: int) -> dict[str, float]:
        return {m.name: (1 + k / 100) * (speed if m.name == "per_s" else 1 / speed) for m in work.metrics}

    repeats = [Repeat(name, dict(point), k, 0, values(speed, k), raw=row(name))
               for name, speed in speeds.items() for point in work.full.points for k in range(3)]
    about = {"mode": "full", "at": "2026-01-01T00:00:00Z", "machine": {"cpu": "made up"}, "commits": ["abc"], "engines": {},
             "plan": {"repeats": 3, "warm_up_s": 1, "seconds": 15}, "subjects": list(speeds)}
    return Result(about, repeats)


class Made(Engine):
    """An engine whose figures are given; the n-th run of a variant takes the n-th. None or an exception is a failure."""

    least_warm_up_s = 0.0
    start_s = 0.0

    def __init__(self, name: str, figures: Sequence[float | Exception | None], variants: Sequence[str] = ("default",),
                 candidates: Sequence[str] = ()) -> None:
        super().__init__()
        self.name = name
        self._figures = list(figures)
        self._variants = variants
        self._candidates = candidates
        self.order: list[str] = []

    def prepare(self, kit: Kit) -> None:
        if not self._figures:
            raise UnavailableError("not to be had")

    def describe(self) -> dict[str, Any]:
        return {"version": "1", "jdk": "17"}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        return [Variant(name, {"speed": name}) for name in self._variants]

    def candidates(self, work: str, point: Point) -> Sequence[Variant]:
        return [Variant(name, {"speed": name}) for name in self._candidates]

    def start(self, trial: Trial) -> None:
        self.order.append("start")

    def submit(self, trial: Trial) -> None:
        self.order.append("submit")

    def sample(self, trial: Trial) -> Measured:
        self.order.append("sample")
        figure = self._figures.pop(0)
        if isinstance(figure, Exception):
            (trial.folder / "engine.log").write_text("its last words")
            raise figure
        if figure is None:
            raise RunError(f"it fell over; logs are in {trial.folder}")
        return Measured({"per_s": figure, "cpu_s_per_million": 1 / figure})

    def stop(self, trial: Trial) -> None:
        self.order.append("stop")


def session(tmp_path: Path, *engines: Made, resume: bool = False, repeats: int = 3, mode: str = "part", seconds: float = 1,
            work: Work = RELAY, watch: type[Watch] = Quiet, aside: Path | None = None) -> Comparison:
    plan = Plan([{"packet_bytes": 50}], repeats=repeats, warm_up_s=0, seconds=seconds, attempts=2)
    variants = candidates(work) if mode == SWEEP else Tuning.load(tmp_path).rows(work)
    return Comparison(Wanted(work, plan, mode, tmp_path, variants, resume, aside=aside), engines,
                      Kit(tmp_path / "cache", tmp_path, watch=watch), {})


def ran(made: Comparison, most_runs: int | None = None) -> Result:
    """What it measured."""
    run([made], Limits(most_runs), lambda line: None)
    return made.result


def of_rounds(result: Result, rounds: int, **more: Any) -> Result:
    """The first rounds of a result, its repeats with other fields."""
    return Result(result.about, [replace(repeat, **more) for repeat in result.repeats if repeat.repeat < rounds])
