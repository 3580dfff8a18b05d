"""``despina bench``: the experiments of a checkout's ``benchmarks`` folder, which the wheel does not carry."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import click

from despina.errors import StartError

VARIABLE = "DESPINA_BENCHMARKS"


def _benchmarks() -> Path:
    """The folder: named by ``DESPINA_BENCHMARKS``, or of the checkout that this package belongs to, or of this one."""
    named = os.environ.get(VARIABLE)
    places = [Path(named)] if named else [Path(__file__).resolve().parents[4] / "benchmarks", Path.cwd() / "benchmarks"]
    for place in places:
        if (place / "harness" / "command.py").is_file():
            return place.resolve()
    raise StartError("benchmarks_missing", f"no benchmarks in {' or '.join(map(str, places))}",
                     f"the experiments come with a checkout of Despina: run it there, or set {VARIABLE} to its benchmarks folder")


@click.command("bench", context_settings={"ignore_unknown_options": True})
@click.argument("experiment", nargs=-1, type=click.UNPROCESSED)
def _missing(experiment: tuple[str, ...]) -> None:
    """Run the experiments of the papers Despina is built from, and compare engines.

    The experiments come with a checkout of Despina, and there is none here: run this in one, or set DESPINA_BENCHMARKS to its
    benchmarks folder. There, despina bench list shows them.
    """
    _benchmarks()


def _load() -> click.Command:
    try:
        folder = str(_benchmarks())
    except StartError:
        return _missing     # has a help, and refuses to run
    if folder not in sys.path:
        sys.path.insert(0, folder)
    found: click.Command = importlib.import_module("harness.command").command
    return found


command = _load()
