"""What every experiment stands on: ``despina bench``.

An experiment is one file in ``benchmarks/experiments`` that declares an :class:`Experiment` as ``EXPERIMENT``: subjects that
take turns, the points at which they are measured, what is measured, and how that becomes a table, figures, and answers to what is
claimed. It uses graphs and the public command or API, as any user could: :mod:`harness.engine` runs the command,
:mod:`harness.bare` the bare relay.
"""

from harness.experiment import (
    Claim,
    Experiment,
    Figure,
    Measured,
    Metric,
    Plan,
    Point,
    Published,
    Run,
    Subject,
)
from harness.result import Result
from harness.stats import Estimate
from harness.tables import Table

__all__ = ["Claim", "Estimate", "Experiment", "Figure", "Measured", "Metric", "Plan", "Point", "Published", "Result", "Run",
           "Subject", "Table"]
