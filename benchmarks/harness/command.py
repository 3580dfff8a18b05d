"""``despina bench``: lists, runs and collects the experiments."""

from __future__ import annotations

import math
import signal
import sys
import time
from pathlib import Path
from typing import Any

import click

from despina.errors import DespinaError, RefusedError, StartError
from harness import book, catalogue, measure, micro
from harness.experiment import FULL, LONG, QUICK, Experiment, Plan
from harness.keeping import Keeping
from harness.measure import Limits, Resume
from harness.processes import clean_up, registry
from peers import report
from peers.compare import command as comparison

ALL = "all"
WHOLE = ".*"
"""Matches every micro-benchmark."""


@click.group("bench", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Run the experiments of the papers Despina is built from, each beside a baseline in the same run."""


@command.command("list")
def listed() -> int:
    """Show the experiments, how long each takes, and how much of it is left at this commit."""
    found = [catalogue.find(name) for name in catalogue.names()]
    wide = max(len(experiment.name) for experiment in found)
    print(f"{'':{wide}}  {'long':>10}  {'full':>10}  {'left':>10}  {'quick':>5}")
    left = {experiment.name: measure.left_s(experiment, experiment.full, FULL, _keeping(experiment, book.PART))
            for experiment in found}
    for experiment in found:
        long, full, quick = (measure.duration(measure.expected_s(experiment, experiment.plan(mode)))
                             for mode in (LONG, FULL, QUICK))
        shown = measure.duration(left[experiment.name]) if left[experiment.name] else "done"
        print(f"{experiment.name:{wide}}  {long if experiment.long else '':>10}  {full:>10}  {shown:>10}  {quick:>5}  "
              f"{catalogue.title(experiment.name)}")
    print(f"\nLeft in all: {measure.duration(sum(left.values()))}. Eight hours of it: "
          "`despina bench run all --resume --minutes 480`")
    print("NEPTUNE's Fig 7 to 10, beside Storm and other engines: `despina bench compare --help`")
    return 0


@command.command("run")
@click.argument("name")
@click.option("--quick", is_flag=True, help="Less of everything, within 30 s: shows that it works, and roughly what comes out.")
@click.option("--long", is_flag=True, help="All points and rounds, where the full plan of an experiment leaves some out.")
@click.option("--only", "only", metavar="KEY=VALUE", multiple=True, help="Only points with this value; may be repeated.")
@click.option("--rounds", type=click.IntRange(min=1), help="So many repeats, in place of the plan's.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="So long per repeat, in place of the plan's.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False),
              help="Where JSON, table and figures go, in place of build/bench; then no summary of a full run is kept.")
@click.option("--resume", is_flag=True, help="Go on where a run with the same options, commit and machine was cut off. Of all, "
                                             "what is done is left out, and what is of another commit begins anew.")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="Stop after so long; --resume goes on.")
def run(name: str, out: Path | None, resume: bool, minutes: float | None, **more: Any) -> int:
    """Run the experiment NAME, or all of them. Needs a free machine: what others disturb is measured again."""
    if more["quick"] and more["long"]:
        raise RefusedError("mode", "--quick and --long exclude one another", "choose one of them")
    experiments = [catalogue.find(each) for each in (catalogue.names() if name == ALL else [name])]
    asked = QUICK if more["quick"] else LONG if more["long"] else FULL
    narrow = {name: more[name] for name in ("only", "rounds", "seconds")}
    limits = Limits(until_s=time.monotonic() + 60 * minutes if minutes else math.inf)
    how = Resume.NO if not resume else Resume.IF_ALIKE if name == ALL else Resume.YES
    signal.signal(signal.SIGTERM, signal.default_int_handler)     # what was made on the machine is taken away again
    folder = out or book.PART
    for line in clean_up(registry()):
        measure.to_stderr(line)
    failed = 0
    for experiment in experiments:
        try:
            mode = "part" if any(narrow.values()) else FULL if asked == LONG and not experiment.long else asked
            failed += _one(experiment, experiment.plan(asked).narrowed(**narrow), mode, folder, how, limits)
        except StartError as missing:
            if name != ALL:
                raise
            print(f"{experiment.name}: skipped: {missing.message}", file=sys.stderr)
        except DespinaError as error:
            if name != ALL:
                raise
            failed += 1
            print(f"{experiment.name}: {error}", file=sys.stderr)
    return 1 if failed else 0


def _keeping(experiment: Experiment, folder: Path) -> Keeping:
    return Keeping(folder / f"{experiment.name}.json", lambda made: False)


def _one(experiment: Experiment, plan: Plan, mode: str, folder: Path, resume: Resume, limits: Limits) -> int:
    """Measures one and writes it down, if all of it is there.

    :return: how many of its runs failed
    """
    began = time.monotonic()
    result = measure.one(experiment, plan, mode, _keeping(experiment, folder), resume, limits)
    if result.cut:
        return sum(1 for repeat in result.repeats if repeat.failed)
    written = book.write(experiment, result, folder)
    if result.full and folder == book.PART:
        written += book.keep(experiment, result, folder)
    print((folder / f"{experiment.name}.md").read_text(encoding="utf-8"))
    print(f"{experiment.name}: {measure.duration(time.monotonic() - began)}; {', '.join(map(str, written))}", file=sys.stderr)
    return sum(1 for repeat in result.repeats if repeat.failed)


@command.command("micro")
@click.argument("pattern", default=WHOLE)
def micro_benchmarks(pattern: str) -> int:
    """Run JMH's micro-benchmarks whose names match PATTERN (a regular expression), or all of them: ten minutes."""
    kept = micro.run(pattern, book.PART / "jmh.json")
    written = (book.FULL if pattern == WHOLE else book.PART) / f"{micro.PAGE}.json"
    book.save(kept, written)
    print(micro.section(kept))
    print(f"micro: {written}", file=sys.stderr)
    return 0


@command.command("results")
@click.option("--from", "folder", type=click.Path(path_type=Path, file_okay=False), default=book.FULL, show_default=True,
              help="Where the summaries of the full runs are.")
@click.option("--to", "pages", type=click.Path(path_type=Path, file_okay=False), default=book.BENCHMARKS, show_default=True,
              help="Where the pages go.")
def results(folder: Path, pages: Path) -> int:
    """Write RESULTS.md and COMPARISON.md from the last full run of each experiment and work."""
    made = {page.name: write(folder, pages / page.name) for page, write in
            ((book.RESULTS, book.results), (book.COMPARISON, report.write_page))}
    if not any(made.values()):
        raise RefusedError("results", f"no results in {folder}", "despina bench run all makes them")
    for page, found in made.items():
        print(f"{page}: {', '.join(found)}", file=sys.stderr)
    return 0


command.add_command(comparison, "compare")
