"""Tables, figures and COMPARISON.md."""

from __future__ import annotations

import inspect
import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compare import figures
from compare.works import WORKS, Work
from harness import Experiment, Plan, Result, Subject, Table, machine, tables
from harness.result import Repeat

TESTED = ("cpu_percent", "resident_mb")
FEWEST = 3
"""Repeats that a t-test wants."""

HEAD = """# Comparison

Made by `despina bench compare` from the JSON of each work's last full run ([results/compare](results/compare)); do not edit.
All engines did the same work with the same packets on the same machine, in turn (A B C A B C), each run from nothing: processes
started, warmed up, measured, ended. Figures are medians; ratios are of medians of the same rounds, with the interval in which
they lie with 95 % confidence. Processor time and bytes on the wire are the kernel's figures of the operators' processes, alike
for all.
"""


def write(work: Work, experiment: Experiment, result: Result, folder: Path) -> list[Path]:
    """``compare_WORK.md`` and the work's figures, beside its JSON.

    :return: what was written
    """
    pictures = figures.save(work, result, folder)
    page = folder / f"compare_{work.name}.md"
    names = [picture.name for picture in pictures if picture.suffix == ".png"]
    page.write_text(f"# {work.name}\n\n{section(work, experiment, result, names)}", encoding="utf-8")
    return [folder / f"compare_{work.name}.json", page, *pictures]


def write_page(folder: Path, to: Path) -> None:
    """COMPARISON.md, from what is in the folder."""
    parts = [HEAD]
    for work in WORKS.values():
        file = folder / f"compare_{work.name}.json"
        if file.is_file():
            result = Result.load(file)
            names = [f"results/compare/{picture.name}" for picture in sorted(folder.glob(f"compare_{work.name}_*.png"))]
            parts.append(f"## {work.name}\n\n{section(work, as_experiment(work, result), result, names)}")
    to.write_text("\n".join(parts), encoding="utf-8")


def as_experiment(work: Work, result: Result) -> Experiment:
    """The experiment that a saved result is of, as far as tables need it."""
    def never(run: object) -> Any:
        raise NotImplementedError("a saved result is not measured again")

    subjects = [Subject(name, never) for name in result.subjects]
    baseline = next((name for name in result.subjects if name.startswith("despina")), None)
    return Experiment(f"compare_{work.name}", work.doc, subjects, work.metrics, Plan([]), Plan([]), baseline, work.compared)


def section(work: Work, experiment: Experiment, result: Result, pictures: list[str]) -> str:
    """A work's doc, its table, its rows' settings, what was skipped and what failed."""
    plan = result.about["plan"]
    parts = [inspect.cleandoc(work.doc) + f" Verified: {work.verified}.",
             f"{result.about['at']}, {result.about['mode']} run: {plan['repeats']} rounds of {plan['seconds']:g} s. "
             f"{machine.one_line(dict(result.about['machine']))}.",
             tables.usual(experiment, result).markdown().rstrip(),
             rows(result).markdown().rstrip(),
             "\n".join(settings(result))]
    tests = t_tests(work, result)
    if tests.rows:
        parts.append("Welch's t-tests of Despina's repeats against each row's, of what NEPTUNE tested: processor and memory.")
        parts.append(tests.markdown().rstrip())
    parts += [f"- {engine} was skipped: {reason}" for engine, reason in result.about.get("skipped", {}).items()]
    parts += failures(result)
    lost = sum(1 for repeat in result.repeats if repeat.disturbed)
    if lost:
        parts.append(f"{lost} of {len(result.repeats)} runs were disturbed by others' load; \\* marks what no undisturbed run "
                     "measured.")
    parts += [f"![{name}]({name})" for name in pictures]
    return "\n\n".join(parts) + "\n"


def rows(result: Result) -> Table:
    """What each row is: version, JDK, guarantee."""
    made = []
    for subject in result.subjects:
        told = [r.raw["row"] for r in result.repeats if r.subject == subject and "row" in (r.raw or {})]
        if told:
            engine = result.about["engines"].get(told[0]["engine"], {})
            made.append([subject, str(engine.get("version", "")), f"Java {engine.get('jdk')}", told[0]["guarantee"],
                         f"{told[0]['warm_up_s']:g} s", told[0]["remark"]])
    return Table(["row", "version", "runs on", "guarantee", "warm-up", "remark"], made)


def settings(result: Result) -> list[str]:
    """What each row sets besides its engine's defaults, and the flags of its operators' JVMs."""
    lines = []
    for subject in result.subjects:
        told = [r.raw["row"] for r in result.repeats if r.subject == subject and "row" in (r.raw or {})]
        if told:
            given = dict.fromkeys(_settings(row["settings"]) for row in told)
            flags = " ".join(result.about["engines"].get(told[0]["engine"], {}).get("jvm_flags", []))
            lines.append(f"- {subject}: settings {' or '.join(given)}" + (f"; JVM `{flags}`" if flags else ""))
    return lines


def t_tests(work: Work, result: Result) -> Table:
    """Two-sided, unequal variances; the metrics that NEPTUNE tested, where both rows have three repeats or more."""
    made = []
    ours = next((name for name in result.subjects if name.startswith("despina")), None)
    for metric in (metric for metric in work.metrics if metric.name in TESTED and work.name == "manufacturing" and ours):
        for point in result.points():
            for subject in result.subjects:
                a, b = result.values(metric.name, ours or "", point), result.values(metric.name, subject, point)
                if subject != ours and min(len(a), len(b)) >= FEWEST:
                    made.append([subject, tables.cell(point["jobs"]), metric.label, tables.number(statistics.mean(a)),
                                 tables.number(statistics.mean(b)), p_value(a, b)])
    return Table(["row", "jobs", "metric", "despina's mean", "its mean", "p"], made)


def p_value(a: Sequence[float], b: Sequence[float]) -> str:
    """As tables show it; a dash without statsmodels."""
    try:
        from statsmodels.stats.weightstats import ttest_ind
    except ImportError:
        return tables.MISSING
    found = float(ttest_ind(a, b, usevar="unequal")[1])
    return "< 0.0001" if found < 1e-4 else f"{found:.4f}"


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in settings.items()) or "none"


def failures(result: Result) -> list[str]:
    """Runs that gave no figure, each once."""
    def words(repeat: Repeat) -> str:
        at = ", ".join(f"{key} {value}" for key, value in repeat.point.items())
        return f"- {repeat.subject} ({at}) failed: {str(repeat.raw['error']).splitlines()[0]}"

    return list(dict.fromkeys(words(repeat) for repeat in result.repeats if not repeat.values))
