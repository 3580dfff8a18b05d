"""``despina bench compare``: the same work on Despina and on its peers."""

from __future__ import annotations

import math
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from despina.errors import RefusedError
from harness import book, measure, processes
from harness.measure import Limits, duration, to_stderr
from harness.processes import FOLDER_PREFIX, clean_up
from peers import report, roster, session, tuning, works
from peers.contract import Engine, Kit
from peers.session import SWEEP, Comparison, Wanted
from peers.tuning import Tuning, candidates

HERE = Path(__file__).resolve().parent
PART = HERE.parents[1] / "build" / "compare"
"""Where runs leave what they measured, and what is less than a full result that is kept."""
WHOLE = PART / "kept"
"""Where full and short runs and sweeps leave it."""
KEPT = ("full", "short", SWEEP)
"""Runs whose summaries are of the checkout."""
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True)


@click.command("compare", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[WORK]...")
@click.option("--with", "peers", default=",".join(roster.PEERS), show_default=True, metavar="PEER,…",
              help="The peers; Despina and, where it fits, the bare relay are always there.")
@click.option("--short", is_flag=True, help="Fewer points, for less time; the page says so.")
@click.option("--quick", is_flag=True, help="One point, one round: a peer in three minutes. Shows that it works, no more. "
                                             "Without WORK the relay.")
@click.option("--tune", is_flag=True, help="Try settings of the peers; the best become the tuned rows of later runs there.")
@click.option("--only", "only", metavar="KEY=VALUE", multiple=True, help="Only points with this value; may be repeated.")
@click.option("--queries", metavar="QUERY,…", help="Of nexmark only these: as --only query=QUERY for each.")
@click.option("--events", type=click.IntRange(min=1000), help="Of nexmark so many events, in place of the plan's.")
@click.option("--row", "rows", multiple=True, metavar="NAME", help="Only this row, as 'storm tuned'; may be repeated.")
@click.option("--rounds", type=click.IntRange(min=1), help="So many repeats, in place of the plan's.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="So long per run, in place of the plan's.")
@click.option("--resume", is_flag=True, help="Go on with the runs that are in the folder.")
@click.option("--most-runs", type=click.IntRange(min=1), help="Stop after so many runs; --resume goes on.")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="Stop after so long; --resume goes on.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False),
              help="Where JSON, tables and figures go, in place of build/compare; then no summary is kept.")
@click.option("--storm-home", type=FOLDER, help="A Storm release of any version.")
@click.option("--flink-home", type=FOLDER, help="A Flink release.")
@click.option("--hazelcast-home", type=FOLDER, help="A folder with its jar.")
def command(names: tuple[str, ...], peers: str, out: Path | None, **more: Any) -> int:
    """Run WORK (all of them if none is named) on Despina and on its peers, in turn, and show who was how fast.

    What a peer needs is fetched at first use and kept in the cache folder. Needs a free machine.
    """
    chosen = [_work(name) for name in names or (works.WORKS if not more["quick"] else [works.RELAY.name])]
    more["only"] = [*more["only"], *(f"query={query.strip()}" for query in (more["queries"] or "").split(",") if query.strip())]
    _known(chosen, [*more["only"], *(["events="] if more["events"] else [])])
    engines = [roster.engine(name) for name in (*roster.ALWAYS, *_peers(peers))]
    mode = mode_of(chosen, peers, more)
    folder = out or (WHOLE if mode in KEPT else PART)
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)    # as Ctrl-C: end what was started
    try:
        _run([work for work in chosen if mode != SWEEP or work.sweep.points], engines, Asked(mode, folder, began, more))
    finally:
        if folder == WHOLE:
            _keep(chosen, mode)
    to_stderr(f"done in {duration(time.monotonic() - began)}")
    return 0


def _keep(chosen: Sequence[works.Work], mode: str) -> None:
    """Keeps the summaries, and makes the page anew."""
    if mode == SWEEP:
        written = [path for work in chosen for path in tuning.keep(work, WHOLE, book.FULL)]
    else:
        written = report.keep(chosen, WHOLE, book.FULL, Tuning.load(WHOLE, book.FULL))
    if report.write_page(book.FULL, book.COMPARISON):
        written.append(book.COMPARISON)
    for path in written:
        to_stderr(str(path))


@dataclass(frozen=True)
class Asked:
    """What the command's options ask for."""

    mode: str
    folder: Path
    began_s: float
    more: Mapping[str, Any]

    def wanted(self, work: works.Work, found: Tuning) -> Wanted:
        """Of one work."""
        sweeps = self.mode == SWEEP
        plan = work.sweep if sweeps else work.plan("quick" if self.more["quick"] else "short" if self.more["short"] else "full")
        plan = works.of_events(plan, self.more["events"])
        return Wanted(work, plan.narrowed(self.more["only"], self.more["rounds"], self.more["seconds"]), self.mode, self.folder,
                      candidates(work) if sweeps else found.rows(work), self.more["resume"], self.more["rows"], PART)

    @property
    def limits(self) -> Limits:
        """When to stop."""
        minutes = self.more["minutes"]
        return Limits(self.more["most_runs"], self.began_s + 60 * minutes if minutes else math.inf)


def _run(chosen: Sequence[works.Work], engines: Sequence[Engine], asked: Asked) -> None:
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX) as scratch:
        homes = {name: asked.more[f"{name}_home"] for name in roster.PEERS if asked.more.get(f"{name}_home")}
        kit = Kit(processes.cache(), Path(scratch), homes, to_stderr)
        for line in clean_up(kit.registry):
            to_stderr(line)
        found = Tuning.load(asked.folder, book.FULL)
        wanted = [asked.wanted(work, found) for work in chosen]     # what is refused is so before peers are fetched
        ready, missing = session.prepare(engines, kit, session.with_rows(engines, wanted))
        made = [Comparison(each, ready, kit, missing) for each in wanted]
        sessions = [each for each in made if each.experiment.subjects]
        if not sessions:
            raise RefusedError("rows", "there is nothing to run: none of these engines has such a row",
                               "without --row and with other peers there is more; a peer that was skipped said why")
        try:
            measure.run(sessions, asked.limits, to_stderr)
        finally:
            for each in sessions:
                if each.result.repeats and asked.mode != SWEEP:
                    page, *_ = report.write(each.work, each.result, each.folder, found)
                    print(page.read_text(encoding="utf-8"))


def mode_of(chosen: Sequence[works.Work], peers: str, more: Mapping[str, Any]) -> str:
    """What kind of run of these works it is: only whole ones, in full or short, are kept."""
    if sum((more["short"], more["quick"], more["tune"])) > 1:
        raise RefusedError("mode", "--short, --quick and --tune exclude one another", "choose one of them")
    narrow = more["only"] or more["rows"] or more.get("events") or peers != ",".join(roster.PEERS)
    if more["tune"]:
        return SWEEP
    if more["quick"]:
        return "quick"
    if narrow:
        return "part"
    less = any((more["rounds"] or plan.repeats) < plan.repeats or (more["seconds"] or plan.seconds) < plan.seconds
               for plan in (work.full for work in chosen))
    return "short" if more["short"] or less else "full"


def _work(name: str) -> works.Work:
    if name not in works.WORKS:
        raise RefusedError("work", f"no work {name!r}", f"one of {', '.join(works.WORKS)}")
    return works.WORKS[name]


def _peers(text: str) -> list[str]:
    found = [name.strip() for name in text.split(",") if name.strip() and name.strip() != "none"]
    for name in found:
        if name not in roster.PEERS:
            raise RefusedError("peer", f"no peer {name!r}", f"one of {', '.join(roster.PEERS)}, or none")
    return found


def _known(chosen: Sequence[works.Work], only: Sequence[str]) -> None:
    """Refuses a key that no point of any of these works has: it would narrow nothing."""
    known = list(dict.fromkeys(key for work in chosen for point in work.full.points for key in point))
    for pair in only:
        if (key := pair.partition("=")[0]) not in known:
            raise RefusedError("points", f"no point of {', '.join(work.name for work in chosen)} has {key!r}",
                               f"one of {', '.join(known)}" if known else "leave out --only")
