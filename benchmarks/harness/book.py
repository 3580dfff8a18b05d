"""What a run leaves (JSON, Markdown table, PNG per figure), and RESULTS.md made of the last full ones."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from harness import catalogue, machine, micro, plots, tables
from harness.experiment import Experiment
from harness.result import Result

BENCHMARKS = Path(__file__).resolve().parents[1]
FULL = BENCHMARKS / "results"
"""Where full runs are kept."""
PART = BENCHMARKS.parent / "build" / "bench"
"""Where all others go."""
RESULTS = BENCHMARKS / "RESULTS.md"

HEAD = """# Results

Made by `despina bench results` from the JSON of each experiment's last full run ([results](results)); do not edit.
Ratios are of medians of one interleaved run, with the interval in which they lie with 95 % confidence (bootstrap over rounds;
with 75 % where there were three). A claim of fewer than five rounds says so. Figures of different experiments may come from
different days, machines and commits, which each section names, so compare within a table. NEPTUNE's comparison with Storm (its
figures 7 to 10) is made by `despina bench compare` and stands in [COMPARISON.md](COMPARISON.md).
"""


def write(experiment: Experiment, result: Result, folder: Path) -> list[Path]:
    """``NAME.json``, ``NAME.md`` and the figures.

    :return: what was written
    """
    folder.mkdir(parents=True, exist_ok=True)
    raw, page = folder / f"{experiment.name}.json", folder / f"{experiment.name}.md"
    result.save(raw)
    pictures = plots.save(experiment, result, folder)
    page.write_text(f"# {experiment.name}\n\n{section(experiment, result, [p.name for p in pictures])}", encoding="utf-8")
    return [raw, page, *pictures]


def write_micro(kept: dict[str, Any], folder: Path) -> Path:
    """``micro.json`` alone: its table is on the page.

    :return: what was written
    """
    folder.mkdir(parents=True, exist_ok=True)
    raw = folder / f"{micro.PAGE}.json"
    raw.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return raw


def section(experiment: Experiment, result: Result, pictures: list[str]) -> str:
    """An experiment's doc, tables and figures."""
    table = experiment.table(result) if experiment.table else tables.usual(experiment, result)
    plan = result.about["plan"]
    parts = [inspect.cleandoc(experiment.doc),
             f"{result.about['at']}, {result.about['mode']} run: {_rounds(result)} of {plan['seconds']:g} s after "
             f"{plan['warm_up_s']:g} s of warm-up. {machine.one_line(dict(result.about['machine']))}.",
             table.markdown().rstrip()]
    if (noise := _noise(result)):
        parts.append(noise)
    if experiment.published:
        parts.append(tables.published(experiment.published, result).markdown().rstrip())
    if experiment.claims:
        parts.append(tables.claims(experiment.claims, result).markdown().rstrip())
    if experiment.remarks:
        parts.append(inspect.cleandoc(experiment.remarks))
    parts += [f"![{name}]({name})" for name in pictures]
    return "\n\n".join(parts) + "\n"


def _rounds(result: Result) -> str:
    """``5 rounds``, or ``3 to 5 rounds`` where not as many count at all points."""
    made = [len(kept) for point in result.points() for subject in result.subjects if (kept := result.kept(subject, point))]
    least, most = min(made, default=0), max(made, default=0)
    return f"{least} to {most} rounds" if least != most else f"{most} round{'s' if most != 1 else ''}"


def _noise(result: Result) -> str:
    again = sum(1 for repeat in result.repeats if repeat.attempt)
    lost = sum(1 for repeat in result.repeats if repeat.disturbed)
    marked = any(result.disturbed(s, p) for s in result.subjects for p in result.points())
    words = [f"{lost} of {len(result.repeats)} runs were disturbed by others' load"] if lost else []
    words += [f"{again} runs were made again for that reason"] if again else []
    words += ["\\* marks what no undisturbed run measured"] if marked else []
    made = len({(repeat.repeat, str(repeat.point), repeat.subject) for repeat in result.repeats})
    if made < result.about.get("runs", 0):
        words.append(f"cut off after {made} of {result.about['runs']} runs")
    told = dict.fromkeys(f"{r.subject}, {r.point}: {r.failed}" for r in result.repeats if r.failed)
    return "\n\n".join(["; ".join(words) + "."] * bool(words) + [f"FAILED: {each}" for each in told])


def results(folder: Path = FULL, to: Path = RESULTS) -> list[str]:
    """Writes RESULTS.md.

    :return: the experiments in it
    """
    found = [(catalogue.find(name), Result.load(path)) for name in catalogue.names()
             if (path := folder / f"{name}.json").is_file()]
    sections = []
    relative = folder.name
    for experiment, result in found:
        pictures = [f"{relative}/{experiment.name}_{figure.name}.png" for figure in experiment.figures]
        sections.append(f"## {experiment.name}\n\n{section(experiment, result, pictures)}")
    if (small := folder / f"{micro.PAGE}.json").is_file():
        sections.append(f"## {micro.TITLE}\n\n{micro.section(json.loads(small.read_text(encoding='utf-8')))}")
    to.write_text("\n".join([HEAD, *_summary(found), *sections]), encoding="utf-8")
    return [experiment.name for experiment, _ in found]


def _summary(found: list[tuple[Experiment, Result]]) -> list[str]:
    """All seeds' figures and all claims, in two tables."""
    parts = []
    for title, of in (("The seeds' figures and ours", _theirs), ("What must hold", _claims)):
        made = [(experiment.name, of(experiment, result)) for experiment, result in found]
        made = [(name, table) for name, table in made if table.rows]
        if made:
            rows = [[f"[{name}](#{name})", *row] for name, table in made for row in table.rows]
            parts.append(f"## {title}\n\n{tables.Table(['experiment', *made[0][1].headers], rows).markdown()}")
    return parts


def _theirs(experiment: Experiment, result: Result) -> tables.Table:
    return tables.published(experiment.published, result)


def _claims(experiment: Experiment, result: Result) -> tables.Table:
    return tables.claims(experiment.claims, result)
