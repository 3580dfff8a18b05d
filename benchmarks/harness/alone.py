"""Runs held to one core, so that a figure is of one core; and where the real data is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from despina.errors import StartError

GRAPHS = Path(__file__).resolve().parents[1] / "experiments" / "graphs"
DATA = Path(os.environ.get("DESPINA_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
READINGS = DATA / "debs2012" / "DEBS2012-small.txt"


def on_one_core(words: Sequence[str]) -> list[str]:
    """The command on one of the cores that this process may use: for :attr:`harness.engine.Command.wrapped`."""
    return ["taskset", "-c", str(max(os.sched_getaffinity(0))), *words]


def taskset_needed() -> None:
    """An experiment's need.

    :raise StartError: there is no taskset
    """
    if shutil.which("taskset") is None:
        raise StartError("taskset_missing", "no taskset, which holds a run to one core", "Debian: apt install util-linux")


def readings_needed() -> None:
    """An experiment's need: the DEBS 2012 rows.

    :raise StartError: they are not there
    """
    if not READINGS.is_file():
        raise StartError("data_missing", f"no real data at {READINGS}", "DESPINA_DATA names the folder")
