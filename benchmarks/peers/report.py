"""What is kept of a comparison, its tables, and COMPARISON.md."""

from __future__ import annotations

import inspect
import json
import os
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from harness import book, machine, sampling, stats, tables
from harness.book import Summary
from harness.experiment import Experiment, Plan, Subject
from harness.result import Repeat, Result
from harness.tables import Table
from peers import figures, probe, roster, standing
from peers.standing import Standing
from peers.tuning import DEFAULT, TUNED, Tuning
from peers.tuning import table as tuning_table
from peers.works import WORKS, Work, covers, is_full, lower_is_better, where

Each = TypeVar("Each")
HERE = Path(__file__).resolve().parent
TESTED = {"cpu_percent": "smaller", "resident_mb": "two-sided"}
"""As NEPTUNE tested them: processor time against being no lower, memory against being equal."""
TESTED_WORKS = ("manufacturing", "given_rate")
HEAP_FLAGS = ("-Xms", "-Xmx")

OUR_ROW = f"{roster.OURS} {DEFAULT}"
HEAD = """# Comparison

Made by `despina bench results` from the summaries of each work's last full or short run ([{folder}]({folder})); do not edit.
All engines did the same work with the same packets, each work on one machine, in turn (A B C A B C),
each run from nothing: processes started, warmed up, measured, ended. Figures are medians; ratios are of medians of the same
rounds, with the interval that drawing rounds anew gives them, where there are three or more: of three it is all that they gave,
in which a median lies with 75 %, of five with 94 %. Processor time and bytes on the wire are the kernel's figures of the
operators' processes, alike for all. A `+` after a commit: files differed from it, by changes that were not committed. What is
equal and what cannot be stands in [peers/README.md]({readme}).
"""


CHECKED = f"""The harness checks itself: where it shows a peer far slower than it was by hand, it measures wrong. Asked are at
least {standing.KNOWN_LEAST:g} of the throughput by hand, and at most 1/{standing.KNOWN_LEAST:g} of the latency.
"""


def write(work: Work, result: Result, folder: Path, tuning: Tuning) -> list[Path]:
    """``compare_WORK.md`` and the work's figures, beside its JSON.

    :return: what was written
    """
    pictures = figures.save(work, result, folder)
    page = folder / f"compare_{work.name}.md"
    named = {path.name: words for path, words in pictures.items()}
    summary = summarized(work, result, tuning)
    parts = [f"# {work.name}", section(work, summary, named).rstrip(), *every_row([summary]), *swept(work, tuning)]
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return [page, *pictures]


def keep(works: Iterable[Work], made: Path, folder: Path, tuning: Tuning) -> list[Path]:
    """The summaries of these works, but where one of a whole full run is kept and this is of less; and the figures of the page.

    :param made: the folder of their results
    :return: what was written
    """
    written: list[Path] = []
    results = results_in(made)
    for work in works:
        file = folder / f"compare_{work.name}.json"
        if work.name not in results or (file.is_file() and book.load(file)["whole"] and not is_full(work, results[work.name])):
            continue
        book.save(summarized(work, results[work.name], tuning), file)
        written += [file, *figures.save(work, results[work.name], folder)]
    return [*written, *figures.save_all(results, folder)]


def results_in(folder: Path) -> dict[str, Result]:
    """The results in a folder, by work."""
    return {name: Result.load(file) for name in WORKS if (file := folder / f"compare_{name}.json").is_file()}


def summaries_in(folder: Path) -> dict[str, Summary]:
    """The summaries in a folder, by work."""
    return {name: book.load(file) for name in WORKS if (file := folder / f"compare_{name}.json").is_file()}


def write_page(folder: Path, to: Path) -> list[str]:
    """COMPARISON.md, from the summaries in the folder.

    :return: the works in it; none where nothing was measured
    """
    kept = summaries_in(folder)
    if not kept:
        return []
    at = os.path.relpath(folder, to.parent)
    before = "" if at == "." else f"{at}/"
    parts = [HEAD.format(folder=at, readme=os.path.relpath(HERE / "README.md", to.parent)), *summary_of(kept)]
    if unmeasured := WORKS.keys() - kept.keys():
        parts.append(f"Not measured: {', '.join(name for name in WORKS if name in unmeasured)}.\n")
    if (folder / figures.FIG7_FILE).is_file():
        parts.append(shown(f"{before}{figures.FIG7_FILE}", figures.FIG7) + "\n")
    machines = machine.named([summary["machine"] for summary in kept.values()])
    parts.append(machine.legend(machines))
    for name, summary in kept.items():
        named = {f"{before}{file}": words for file, words in figures.saved(name, folder).items()}
        parts.append(f"## {name}\n\n{section(WORKS[name], summary, named, machines[machine.kind(summary['machine'])])}")
    parts += ["## The rows\n", "\n\n".join(every_row(list(kept.values()), flags=False)) + "\n"]
    to.write_text(tables.tight("\n".join(parts)), encoding="utf-8")
    return list(kept)


def shown(place: str, words: str) -> str:
    """A figure with what it shows."""
    return f"{words}:\n\n![{words}]({place})"


def summary_of(kept: Mapping[str, Summary]) -> list[str]:
    """What must hold of Despina and of the harness, and the rows that are not won."""
    claimed, checked = (held(name, kept) for name in ("claims", "checks"))
    parts = ["## What must hold\n", claimed.markdown()]
    if checked.rows:
        parts += ["## Are the peers as fast here as by hand?\n", CHECKED, checked.markdown()]
    return [*parts, *not_won([one for summary in kept.values() for one in summary["lost"]],
                             sum(summary["figures"] for summary in kept.values()),
                             sum(summary["plainly_won"] for summary in kept.values()))]


def held(name: str, kept: Mapping[str, Summary]) -> Table:
    """What is asked of each work, and whether it holds."""
    return Table(["work", "claim", "asked", "found", "holds"], [
        ["" if k else f"[{work}](#{work})", *row] for work, summary in kept.items()
        for k, row in enumerate(summary[name]["rows"])])


def not_won(lost: Sequence[str], of: int, plainly: int) -> list[str]:
    """How many figures are won, and which are not."""
    parts = ["## Rows not won\n",
             f"Of {some(of, 'figure')}, Despina's beside the best peer's at each point, {plainly} are plainly won; "
             f"{of - len(lost) - plainly} are won within noise, in fewer than {stats.FEWEST_ROUNDS} rounds or in "
             f"disturbed ones only; {len(lost)} are not won" + (":\n" if lost else ".\n")]
    return [*parts, "\n".join(lost) + "\n"] if lost else parts


def in_words(one: Standing) -> str:
    """A figure that is not won."""
    at = f"{where(one.point)}: " if where(one.point) else ""
    better = "lower" if lower_is_better(one.metric.name) else "higher"
    noted = [*(["within noise"] if "noise" in one.won else []), *([one.doubt] if one.doubt else [])]
    return (f"{at}{one.metric.label} {tables.number(one.ours)}, {one.rival} {tables.number(one.theirs)}, {better} is better; "
            f"ratio {tables.estimate(one.ratio)}" + (f" ({', '.join(noted)})" if noted else ""))


def as_experiment(work: Work, result: Result) -> Experiment:
    """The experiment that a saved result is of, as far as tables need it."""
    def never(run: object) -> Any:
        raise NotImplementedError("a saved result is not measured again")

    same = standing.of_engine(result, *roster.ADAPTERS, "bare relay")
    subjects = [Subject(name, never, comparable=name in same) for name in result.subjects]
    return replace(_bare_experiment(work), subjects=subjects, baseline=standing.ours(result) or None)


def _bare_experiment(work: Work) -> Experiment:
    """Without rows."""
    return Experiment(f"compare_{work.name}", work.doc, (), work.metrics, Plan([]), Plan([]), OUR_ROW, work.compared)


def summarized(work: Work, result: Result, tuning: Tuning) -> Summary:
    """As :func:`harness.book.summarized`, with who won, and what each row is."""
    found = standing.standings(work, result)
    tests = t_tests(work, result)
    untested = work.name in TESTED_WORKS and not tests.rows
    return book.summarized(as_experiment(work, result), result) | {
        "whole": is_full(work, result),
        "run": measured(work, result), "noise": [*mixed(result), *disturbed(result)],
        "claims": book.told(standing.held(standing.claims(work), result)),
        "checks": book.told(standing.held(standing.checks(work), result)),
        "standings": book.told(standing.table(found)),
        "figures": len(found), "plainly_won": sum(1 for one in found if one.is_plainly_won),
        "lost": [f"- [{work.name}](#{work.name}), {in_words(one)}" for one in found if not one.is_won],
        "t_tests": book.told(tests),
        "what_rows_are": book.told(rows(work, result)), "settings": facts(result),
        "tuned": swept(work, tuning)[:1],
        "notes": [*watched(result), *([f"No t-tests: they want {stats.FEWEST_ROUNDS} rounds."] if untested else []),
                  *(f"- {engine} was skipped: {reason}" for engine, reason in result.about.get("skipped", {}).items()),
                  *absent(work, result), *failures(result)],
    }


def section(work: Work, summary: Summary, pictures: Mapping[str, str], machine_is: str = "") -> str:
    """A work's doc, its tables, what was skipped and what failed.

    :param pictures: where its figures are, and what they show
    :param machine_is: which of the page's machines it was measured on; all of it is said if not given
    """
    where = f"{machine_is}, commit {summary['machine'].get('commit')}" if machine_is else machine.one_line(summary["machine"])
    parts = [inspect.cleandoc(work.doc) + f" Verified: {work.verified}.",
             " ".join([f"{summary['at']}, {summary['run']} {where}.", *summary["noise"]])]
    if summary["standings"]["rows"]:
        parts.append(book.table(summary, "standings").markdown().rstrip())
    if work.remarks:
        parts.append(inspect.cleandoc(work.remarks))
    parts += [tables.usual(_bare_experiment(work), summary["rows"]).markdown().rstrip(), *summary["tuned"]]
    if summary["t_tests"]["rows"]:
        parts.append("Welch's t-tests of Despina's repeats against each row's, of what NEPTUNE tested: processor time one-tailed "
                     "(lower), memory two-tailed (other); by memory no row is won, since heaps differ.")
        parts.append(book.table(summary, "t_tests").markdown().rstrip())
    parts += [*summary["notes"], *(shown(place, words) for place, words in pictures.items())]
    return "\n\n".join(parts) + "\n"


def every_row(kept: Sequence[Summary], flags: bool = True) -> list[str]:
    """What each row is, of all works together, and what it sets in which of them.

    :param flags: whether the flags of its JVMs are said, too
    """
    headers = next(iter(kept))["what_rows_are"]["headers"]
    found: dict[str, list[dict[str, None]]] = {}
    said: dict[str, dict[str, list[str]]] = {}
    for summary in kept:
        for name, *cells in summary["what_rows_are"]["rows"]:
            columns = found.setdefault(name, [{} for _ in cells])
            for column, cell in zip(columns, cells, strict=True):
                column[cell] = None
        for name, words in summary["settings"].items():
            for one in words if flags else words[:1]:
                said.setdefault(name, {}).setdefault(one, []).append(summary["experiment"].removeprefix("compare_"))
    table = Table(headers, [[name, *("; ".join(filter(None, column)) for column in columns)] for name, columns in found.items()])
    lines = [f"- {name}: " + "; ".join(one if len(works) == len(kept) else f"{one} ({', '.join(works)})"
                                       for one, works in of.items()) for name, of in said.items()]
    return [table.markdown().rstrip(), "\n".join(lines)]


def measured(work: Work, result: Result) -> str:
    """When, on what, and how much; what it leaves out of a full run."""
    plan, whole, mode = result.about["plan"], work.full, f"{result.about['mode']} run"
    rounds = sorted(len(kept) for point in result.points() for name in result.subjects if (kept := result.kept(name, point)))
    fewest, most = (rounds[0], rounds[-1]) if rounds else (0, 0)
    made = some(most, "round") if fewest == most else f"{fewest} to {some(most, 'round')}"
    less = not covers(work, result)
    long, warm, whole_long, whole_warm = ("",) * 4 if work.ends else (
        f" of {plan['seconds']:g} s", f", after {plan['warm_up_s']:g} s of warm-up or what the row says",
        f" of {whole.seconds:g} s", f", after {whole.warm_up_s:g} s")
    parts = [f"{f'part of a {mode}' if less and result.full else mode}: {made}{long} at "
             f"{some(len(result.points()), 'point')}{warm}."]
    if less or not result.full:
        parts.append(f"A full run is {some(whole.repeats, 'round')}{whole_long} at "
                     f"{some(len(whole.points), 'point')}{whole_warm}.")
    if unmeasured := [name for name in result.subjects if not any(result.kept(name, point) for point in result.points())]:
        parts.append(f"Not measured: {', '.join(unmeasured)}.")
    return " ".join(parts)


def disturbed(result: Result) -> list[str]:
    """How many runs others disturbed, and how many of these were made again."""
    lost = [repeat for repeat in result.repeats if repeat.disturbed]
    if not lost:
        return []
    again = sum(1 for one in lost if any((other.subject, other.point, other.repeat) == (one.subject, one.point, one.repeat)
                                         and other.attempt > one.attempt for other in result.repeats))
    return [f"Of {some(len(result.repeats), 'run')} {len(lost)} were disturbed by others' load, and {again} of these made again; "
            "\\* marks what no undisturbed run measured."]


def some(count: int, what: str) -> str:
    """``1 round``, ``3 rounds``."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def swept(work: Work, tuning: Tuning) -> list[str]:
    """What the tuned rows were chosen from."""
    if not work.tuned_as:
        return []
    tried = tuning.tried.get(work.tuned_as, [])
    if not tried:
        return [f"No sweep of {work.tuned_as} is here (`despina bench compare --tune`): tuned rows have what was best in the "
                "first trials."]
    own = work.tuned_as == work.name
    sweep = "the sweep" if own else f"the sweep of [{work.tuned_as}](#{work.tuned_as})"
    points = " and ".join(filter(None, dict.fromkeys(where(one.point) for one in tried))) or "its only point"
    told = (f"Tuned rows have what was best at the nearest point of {sweep}, which tried each setting once at {points} "
            f"({tuning.origins.get(work.tuned_as, 'nothing tells where')}). Where the default was best there is no tuned row.")
    return [told, "\\*: disturbed by others' load.", tuning_table(work, tried).markdown().rstrip()] if own else [told]


def rows(work: Work, result: Result) -> Table:
    """What each row is: version, JDK, heaps, guarantee, Despina's commits, and what is to be remarked of it."""
    made = []
    for subject in result.subjects:
        kept = [repeat for repeat in result.repeats if repeat.subject == subject and not repeat.failed]
        if kept:
            told = kept[0].raw["row"]
            engine = result.about["engines"].get(told["engine"], {})
            remarks = [part for repeat in kept for part in repeat.raw["row"]["remark"].split("; ") if part]
            made.append([subject, str(engine.get("version", "")), f"Java {engine.get('jdk')}", heaps(kept), told["guarantee"],
                         f"{told['warm_up_s']:g} s", ", ".join(commits(result, subject)),
                         "; ".join(dict.fromkeys([*remarks, *no_better(work, result, subject)]))])
    return Table(["row", "version", "runs on", "heap of a JVM", "guarantee", "warm-up", "commit", "remark"], made)


def heaps(kept: Sequence[Repeat]) -> str:
    """Of the operators' JVMs as their command lines have them, where the last word counts."""
    found: dict[str, None] = {}
    for repeat in kept:
        for words in (repeat.raw["found"] or {}).get("costs", {}).get("jvm_flags", {}).values():
            least, most = (next((_megabytes(word[4:]) for word in effective(words) if word.startswith(flag)), "Java's")
                           for flag in HEAP_FLAGS)
            found[most if least == most else f"{least} to {most}"] = None
    return ", ".join(found) or tables.MISSING


def _megabytes(size: str) -> str:
    """Of a size as Java's options have it: bytes, or with k, m, g."""
    power = " kmg".find(size[-1].lower())
    return f"{int(size.rstrip('kmgKMG')) * 1024 ** max(power, 0) >> 20:,} MB"


def commits(result: Result, subject: str) -> dict[str, list[str]]:
    """At which commits a row of Despina was measured, and at which points each; none for others: they do not change with them."""
    found: dict[str, list[str]] = {}
    unknown = " or ".join(result.about["commits"])      # of runs that were kept before their commit was
    for point in result.points():
        for repeat in result.kept(subject, point).values():
            row = repeat.raw["row"]
            if row["engine"] == roster.OURS:
                found.setdefault(row.get("commit") or unknown, []).append(where(point) or "all")
    return found


def mixed(result: Result) -> list[str]:
    """Rows whose runs are of several commits, with the points of each."""
    return [f"{subject} was measured at several commits: "
            + "; ".join(f"{commit} at {' and '.join(dict.fromkeys(points))}" for commit, points in found.items()) + "."
            for subject in result.subjects if len(found := commits(result, subject)) > 1]


def no_better(work: Work, result: Result, subject: str) -> list[str]:
    """Where a tuned row is worse than its engine's default, by what it was tuned for."""
    engine, _, variant = subject.rpartition(" ")
    if variant != TUNED or not work.tuned_as:
        return []
    metric = WORKS[work.tuned_as].chosen_by
    worse = []
    for point in result.points():
        tuned, default = (result.median(metric, f"{engine} {row}", point) for row in (TUNED, DEFAULT))
        if tuned is not None and default is not None and (tuned > default if lower_is_better(metric) else tuned < default):
            worse.append(where(point) or "all points")
    return [f"worse than its default at {' and '.join(worse)}"] if worse else []


def watched(result: Result) -> list[str]:
    """Runs whose costs are not those of their window: they have no such figures."""
    lines = []
    for repeat in result.repeats:
        costs = {} if repeat.failed else (repeat.raw["found"] or {}).get("costs", {})
        asked = costs.get("asked_s", result.about["plan"]["seconds"] - probe.AFTER_WARM_UP_S - probe.BEFORE_END_S)
        at = f"{repeat.subject} ({where(repeat.point)})" if repeat.point else repeat.subject
        if (took := costs.get("seconds", asked)) < sampling.WHOLE * asked:
            lines.append(f"- {at}: its processes were watched for {took:.1f} s of {asked:g}, which tells no costs of the whole")
        elif costs.get("wire_bytes") is not None and not sampling.listed_in_time(asked, took, costs.get("wire_s", asked)):
            lines.append(f"- {at}: its sockets were listed {costs['wire_s']:.1f} s apart, for a window of {asked:g} s")
    return ["\n".join(lines)] if lines else []


def facts(result: Result) -> dict[str, list[str]]:
    """By row what it sets besides its engine's defaults, and the flags of its operators' JVMs."""
    found = {}
    for subject in result.subjects:
        told = [r.raw for r in result.repeats if r.subject == subject and not r.failed]
        if told:
            given = dict.fromkeys(_settings(raw["row"]["settings"]) for raw in told)
            costs = [raw["found"]["costs"] for raw in told if raw["found"]]
            flags = dict.fromkeys(" ".join(effective(words)) for cost in costs for words in cost.get("jvm_flags", {}).values())
            found[subject] = [f"settings {' or '.join(given)}", *(f"JVM `{words}`" for words in flags if words)]
    return found


def settings(result: Result) -> list[str]:
    """The same in lines."""
    return [f"- {subject}: {'; '.join(words)}" for subject, words in facts(result).items()]


def effective(flags: Sequence[str]) -> list[str]:
    """A JVM's flags without the sizes of its heap that later ones override."""
    last = {word[:4]: k for k, word in enumerate(flags) if word.startswith(HEAP_FLAGS)}
    return [word for k, word in enumerate(flags) if not word.startswith(HEAP_FLAGS) or last[word[:4]] == k]


def t_tests(work: Work, result: Result) -> Table:
    """Unequal variances; the metrics that NEPTUNE tested, where both rows have three repeats or more."""
    made = []
    ours = standing.ours(result)
    for metric in (metric for metric in work.metrics if metric.name in TESTED and work.name in TESTED_WORKS):
        for point in result.points():
            for subject in result.subjects:
                a, b = result.values(metric.name, ours, point), result.values(metric.name, subject, point)
                if subject != ours and min(len(a), len(b)) >= stats.FEWEST_ROUNDS:
                    made.append([subject, tables.cell(point["jobs"]), metric.label, tables.number(statistics.mean(a)),
                                 tables.number(statistics.mean(b)), p_value(a, b, TESTED[metric.name])])
    return Table(["row", "jobs", "metric", "despina's mean", "its mean", "p"], made)


def p_value(a: Sequence[float], b: Sequence[float], alternative: str) -> str:
    """As tables show it; a dash without statsmodels.

    :param alternative: ``smaller`` if a is to be smaller, or ``two-sided``
    """
    try:
        from statsmodels.stats.weightstats import ttest_ind
    except ImportError:
        return tables.MISSING
    found = float(ttest_ind(a, b, alternative=alternative, usevar="unequal")[1])
    return "< 0.0001" if found < 1e-4 else f"{found:.4f}"


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in settings.items()) or "none"


def absent(work: Work, result: Result) -> list[str]:
    """Why engines that were there, and that the work is for, have no rows."""
    return [f"- {engine} has no rows here: {why}" for engine, why in roster.ABSENT.items() if not work.engines
            if engine in result.about["engines"] and not any(name.startswith(engine) for name in result.subjects)]


def failures(result: Result) -> list[str]:
    """Runs that gave no figure: why, or how many there were before their row was measured at that point after all."""
    lines = []
    for subject, point in _once((repeat.subject, repeat.point) for repeat in result.repeats if repeat.failed):
        runs = [repeat for repeat in result.repeats if (repeat.subject, repeat.point) == (subject, point)]
        measured_by = 1 + max((k for k, repeat in enumerate(runs) if not repeat.failed), default=-1)
        row = f"- {subject} ({where(point)})" if where(point) else f"- {subject}"
        if before := sum(1 for repeat in runs[:measured_by] if repeat.failed):
            lines.append(f"{row} failed {some(before, 'time')} before it was measured")
        lines += _once(f"{row} failed: {repeat.failed.splitlines()[0]}" for repeat in runs[measured_by:])
    return lines


def _once(found: Iterable[Each]) -> list[Each]:
    """Without what is there already."""
    made: list[Each] = []
    for each in found:
        if each not in made:
            made.append(each)
    return made
