"""All experiments, by name: a file of ``benchmarks/experiments`` is one as soon as it declares ``EXPERIMENT``."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

from despina.errors import RefusedError
from harness.experiment import Experiment

FOLDER = Path(__file__).resolve().parents[1] / "experiments"


def names() -> list[str]:
    """The names, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


def title(name: str) -> str:
    """What the experiment asks, in one line: the first one of its file."""
    return (importlib.import_module(f"experiments.{name}").__doc__ or "").strip().split("\n")[0].rstrip(".")


def find(name: str) -> Experiment:
    """The experiment of that name.

    :raise RefusedError: there is none
    """
    if name not in names():
        close = difflib.get_close_matches(name, names(), 1)
        raise RefusedError("experiment", f"no experiment {name!r}",
                           f"did you mean {close[0]}?" if close else
                           f"one of {', '.join(names())}; what stands beside other engines is `despina bench compare`'s")
    experiment: Experiment = importlib.import_module(f"experiments.{name}").EXPERIMENT
    if experiment.name != name:
        raise ValueError(f"experiments/{name}.py declares {experiment.name!r}")
    return experiment
