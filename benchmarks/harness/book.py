"""What a run leaves: repeats, a page and figures in ``build``, a summary in ``results``, of which RESULTS.md is made."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import catalogue, machine, micro, plots, tables
from harness.experiment import Experiment, Point
from harness.result import Result
from harness.stats import Estimate
from harness.tables import Table

BENCHMARKS = Path(__file__).resolve().parents[1]
FULL = BENCHMARKS / "results"
"""Where summaries of full runs are kept, and their figures."""
PART = BENCHMARKS.parent / "build" / "bench"
"""Where every run leaves its repeats, page and figures."""
RESULTS, COMPARISON = BENCHMARKS / "RESULTS.md", BENCHMARKS / "COMPARISON.md"
DIGITS = 7, 4
"""Of medians and ratios in summaries, more than pages show, so that both round alike; and of the medians' intervals."""

Summary = dict[str, Any]
"""What is kept of a run, as JSON holds it."""

HEAD = """# Results

Made by `despina bench results` from the summaries of each experiment's last full run ([results](results)); do not edit.
Ratios are of medians of one interleaved run, with the interval in which they lie with 95 % confidence (bootstrap over rounds;
with 75 % where there were three). A claim of fewer than five rounds says so. Figures of different experiments may come from
different days, machines (below) and commits, so compare within a table. NEPTUNE's comparison with Storm (its figures 7 to 10) is
made by `despina bench compare` and stands in [COMPARISON.md](COMPARISON.md).
"""


def write(experiment: Experiment, result: Result, folder: Path) -> list[Path]:
    """``NAME.json`` with all repeats, ``NAME.md`` and the figures.

    :return: what was written
    """
    folder.mkdir(parents=True, exist_ok=True)
    raw, page = folder / f"{experiment.name}.json", folder / f"{experiment.name}.md"
    result.save(raw)
    pictures = plots.save(experiment, result, folder)
    summary = summarized(experiment, result)
    asked = [table(summary, name).markdown().rstrip() for name in ("published", "claims") if summary[name]["rows"]]
    parts = [f"# {experiment.name}", section(experiment, summary, [p.name for p in pictures]).rstrip(), *asked]
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return [raw, page, *pictures]


def keep(experiment: Experiment, result: Result, drawn: Path, folder: Path = FULL) -> list[Path]:
    """The summary of a full run, and its figures.

    :param drawn: where :func:`write` put the figures
    :return: what was written
    """
    kept = [folder / f"{experiment.name}.json"]
    save(summarized(experiment, result), kept[0])
    return kept + [Path(shutil.copy(drawn / f"{experiment.name}_{figure.name}.png", folder)) for figure in experiment.figures]


def save(summary: Summary, path: Path) -> None:
    """As JSON with a line per row."""
    def lined(value: Any, depth: int) -> str:
        if depth and value and isinstance(value, list | dict):
            inner = ([f"{json.dumps(key)}: {lined(each, depth - 1)}" for key, each in value.items()] if isinstance(value, dict)
                     else [lined(each, depth - 1 if isinstance(each, list) else 0) for each in value])
            begin, end = "{}" if isinstance(value, dict) else "[]"
            return f"{begin}\n" + ",\n".join(inner) + f"\n{end}"
        return json.dumps(value, ensure_ascii=False)

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lined(summary, 3) + "\n", encoding="utf-8")


def load(path: Path) -> Summary:
    """Reads it."""
    found: Summary = json.loads(path.read_text(encoding="utf-8"))
    return found


def summarized(experiment: Experiment, result: Result) -> Summary:
    """Points and subjects with medians and intervals, what was asked and found; when, where and how."""
    return {
        "experiment": experiment.name, "mode": result.about.get("mode"), "at": result.about.get("at"),
        "machine": {key: value for key, value in result.about.get("machine", {}).items() if key != "flags"},
        "run": _run(result), "noise": _noise(result),
        "rows": [_row(experiment, result, subject, point) for point in result.points() for subject in result.subjects
                 if result.kept(subject, point)],
        "claims": told(tables.claims(experiment.claims, result)),
        "published": told(tables.published(experiment.published, result)),
        **({"table": told(experiment.table(result))} if experiment.table else {}),
    }


def _row(experiment: Experiment, result: Result, subject: str, point: Point) -> dict[str, Any]:
    """One subject at one point: the median of each metric with its interval, and the ratio to the baseline."""
    row: dict[str, Any] = {"subject": subject, "at": dict(point), "rounds": len(result.kept(subject, point))}
    if result.disturbed(subject, point):
        row["disturbed"] = True
    row |= {metric.name: _kept(found, *DIGITS) for metric in experiment.metrics
            if (found := result.estimate(metric.name, subject, point)) is not None}
    if (ratio := tables.to_baseline(experiment, result, subject, point)) is not None:
        row["ratio"] = _kept(ratio, DIGITS[0], DIGITS[0])
    return row


def _kept(found: Estimate, digits: int, of_interval: int) -> list[float]:
    """The figure, and its interval if it has one."""
    return [rounded(found.value, digits),
            *(rounded(value, of_interval) for value in (found.low, found.high) if value is not None)]


def rounded(value: float, digits: int = DIGITS[0]) -> float:
    """To so many significant digits."""
    return float(f"{value:.{digits}g}")


def told(table: Table) -> dict[str, Any]:
    """A table of text, as JSON."""
    return {"headers": list(table.headers), "rows": [list(row) for row in table.rows]}


def table(summary: Summary, name: str) -> Table:
    """The same read back."""
    return Table(summary[name]["headers"], summary[name]["rows"])


def section(experiment: Experiment, summary: Summary, pictures: Sequence[str], machine_is: str = "") -> str:
    """An experiment's doc, table and figures.

    :param machine_is: which of the page's machines it was measured on; all of it is said if not given
    """
    shown = table(summary, "table") if "table" in summary else tables.usual(experiment, summary["rows"])
    where = f"{machine_is}, commit {summary['machine'].get('commit')}" if machine_is else machine.one_line(summary["machine"])
    parts = [inspect.cleandoc(experiment.doc), f"{summary['at']}, {summary['run']}. {where}.", shown.markdown().rstrip(),
             *summary["noise"]]
    measured = {row["subject"] for row in summary["rows"]}
    if later := [subject.name for subject in experiment.subjects if subject.name not in measured]:
        parts.append(f"Not measured in that run: {'; '.join(later)}.")
    if experiment.remarks:
        parts.append(inspect.cleandoc(experiment.remarks))
    parts += [f"![{name}]({name})" for name in pictures]
    return "\n\n".join(parts) + "\n"


def _run(result: Result) -> str:
    """How much was measured: ``full run: 5 rounds of …``, or ``3 to 5 rounds`` where not as many count at all points."""
    made = [len(kept) for point in result.points() for subject in result.subjects if (kept := result.kept(subject, point))]
    least, most = min(made, default=0), max(made, default=0)
    rounds = f"{least} to {most} rounds" if least != most else f"{most} round{'s' if most != 1 else ''}"
    plan = result.about["plan"]
    return f"{result.about['mode']} run: {rounds} of {plan['seconds']:g} s after {plan['warm_up_s']:g} s of warm-up"


def _noise(result: Result) -> list[str]:
    again = sum(1 for repeat in result.repeats if repeat.attempt)
    lost = sum(1 for repeat in result.repeats if repeat.disturbed)
    marked = any(result.disturbed(s, p) for s in result.subjects for p in result.points())
    words = [f"{lost} of {len(result.repeats)} runs were disturbed by others' load"] if lost else []
    words += [f"{again} runs were made again for that reason"] if again else []
    words += ["\\* marks what no undisturbed run measured"] if marked else []
    if result.cut:
        words.append(f"cut off after {result.made} of {result.about['runs']} runs")
    failed = dict.fromkeys(f"{r.subject}, {r.point}: {r.failed}" for r in result.repeats if r.failed)
    return ["; ".join(words) + "."] * bool(words) + [f"FAILED: {each}" for each in failed]


def results(folder: Path = FULL, to: Path = RESULTS) -> list[str]:
    """Writes RESULTS.md.

    :return: the experiments in it; none, and no page, where there are no summaries
    """
    found = [(catalogue.find(name), load(path)) for name in catalogue.names() if (path := folder / f"{name}.json").is_file()]
    small = load(path) if (path := folder / f"{micro.PAGE}.json").is_file() else None
    if not found and small is None:
        return []
    names = machine.named([summary["machine"] for _, summary in found] + ([small["machine"]] if small else []))
    parts = [HEAD, *_asked(found), machine.legend(names)]
    for experiment, summary in found:
        pictures = [f"{folder.name}/{name}" for figure in experiment.figures
                    if (folder / (name := f"{experiment.name}_{figure.name}.png")).is_file()]
        parts.append(f"## {experiment.name}\n\n"
                     f"{section(experiment, summary, pictures, names[machine.kind(summary['machine'])])}")
    if small:
        parts.append(f"## {micro.TITLE}\n\n{micro.section(small, names[machine.kind(small['machine'])])}")
    to.write_text(tables.tight("\n".join(parts)), encoding="utf-8")
    return [experiment.name for experiment, _ in found]


def _asked(found: Sequence[tuple[Experiment, Mapping[str, Any]]]) -> list[str]:
    """All seeds' figures and all claims, in two tables."""
    parts = []
    for title, name in (("The seeds' figures and ours", "published"), ("What must hold", "claims")):
        made = [(experiment.name, summary[name]) for experiment, summary in found if summary[name]["rows"]]
        if made:
            rows = [["" if k else f"[{of}](#{of})", *row] for of, one in made for k, row in enumerate(one["rows"])]
            parts.append(f"## {title}\n\n{Table(['experiment', *made[0][1]['headers']], rows).markdown()}")
    return parts
