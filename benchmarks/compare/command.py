"""``despina bench compare``: the same work on Despina and on its peers."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click

from compare import catalogue, report, session, works
from compare.engine import Kit
from compare.processes import clean_up
from compare.session import Session, Wanted
from despina.errors import RefusedError
from harness import Plan
from harness.measure import duration

HERE = Path(__file__).resolve().parent
FULL = HERE.parent / "results" / "compare"
"""Where full runs are kept."""
PART = HERE.parents[1] / "build" / "compare"
"""Where all others go."""
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command("compare", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[WORK]...")
@click.option("--with", "peers", default=",".join(catalogue.PEERS), show_default=True, metavar="PEER,…",
              help="The peers; Despina and, where it fits, the bare relay are always there.")
@click.option("--quick", is_flag=True, help="Less of everything: a peer in three minutes.")
@click.option("--only", "only", metavar="KEY=VALUE", multiple=True, help="Only points with this value; may be repeated.")
@click.option("--row", "rows", multiple=True, metavar="NAME", help="Only this row, as 'storm tuned'; may be repeated.")
@click.option("--rounds", type=click.IntRange(min=1), help="So many repeats, in place of the plan's.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="So long per run, in place of the plan's.")
@click.option("--resume", is_flag=True, help="Go on with the runs that are in the folder.")
@click.option("--most-runs", type=click.IntRange(min=1), help="Stop after so many runs; --resume goes on.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False),
              help="Where JSON, tables and figures go; benchmarks/results/compare, or build/compare if it is not all of it.")
@click.option("--storm-home", type=FOLDER, help="A Storm release of any version.")
@click.option("--flink-home", type=FOLDER, help="A Flink release.")
@click.option("--hazelcast-home", type=FOLDER, help="A folder with its jar.")
def command(names: tuple[str, ...], peers: str, quick: bool, out: Path | None, resume: bool, most_runs: int | None,
            **more: Any) -> int:
    """Run WORK (all of them if none is named) on Despina and on its peers, in turn, and show who was how fast.

    What a peer needs is fetched at first use and kept in the cache folder. Needs a free machine.
    """
    chosen = [_work(name) for name in names or works.WORKS]
    engines = [catalogue.engine(name) for name in (*catalogue.ALWAYS, *_peers(peers))]
    narrow = any(more[option] for option in ("only", "rows", "rounds", "seconds")) or names or peers != ",".join(catalogue.PEERS)
    mode = "quick" if quick else "part" if narrow else "full"
    folder = out or (FULL if mode == "full" else PART)
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="despina-compare-") as scratch:
        homes = {name: more[f"{name}_home"] for name in catalogue.PEERS if more.get(f"{name}_home")}
        kit = Kit(cache(), Path(scratch), homes, _tell)
        for line in clean_up(kit.registry):
            _tell(line)
        ready, missing = session.prepare(engines, kit)
        for work in chosen:
            wanted = Wanted(work, _plan(work, quick, more), mode, folder, resume, most_runs, more["rows"])
            made = Session(wanted, ready, kit, missing)
            result = made.run()
            written = report.write(work, made.experiment, result, folder)
            print((folder / f"compare_{work.name}.md").read_text(encoding="utf-8"))
            _tell(f"{work.name}: {', '.join(map(str, written))}")
    if mode == "full":
        report.write_page(folder, HERE.parent / "COMPARISON.md")
    _tell(f"done in {duration(time.monotonic() - began)}")
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def cache() -> Path:
    """The user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "despina" / "compare"


def _work(name: str) -> works.Work:
    if name not in works.WORKS:
        raise RefusedError("work", f"no work {name!r}", f"one of {', '.join(works.WORKS)}")
    return works.WORKS[name]


def _peers(text: str) -> list[str]:
    found = [name.strip() for name in text.split(",") if name.strip() and name.strip() != "none"]
    for name in found:
        if name not in catalogue.PEERS:
            raise RefusedError("peer", f"no peer {name!r}", f"one of {', '.join(catalogue.PEERS)}, or none")
    return found


def _plan(work: works.Work, quick: bool, more: dict[str, Any]) -> Plan:
    only: dict[str, list[str]] = {}
    for pair in more["only"]:
        key, sign, value = pair.partition("=")
        if not sign:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE", param_hint="--only")
        only.setdefault(key, []).append(value)
    plan = (work.quick if quick else work.full).narrowed(only, more["rounds"], more["seconds"])
    if not plan.points:
        raise RefusedError("points", f"{work.name} has no such points")
    return plan
