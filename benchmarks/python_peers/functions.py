"""The functions of experiment ``python_peers`` as peers call them, with a meter that says how many rows they have had.

Peers import this file alone: it needs numpy for arrays, and nothing of ours.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

FOLDER = os.environ.get("DESPINA_METERS", "")
"""Where meters write: a file for each process, with a line ``seconds rows`` now and then."""
ONE_BY_ONE = "one at a time"
"""The work whose rows have a rate, and are aged."""
RATE_PER_S = 1_000
ROWS = 4_096
"""Between two lines, at least; a power of two."""


def meter() -> Any:
    """The file of this process, each line of which is written at once."""
    return open(os.path.join(FOLDER, f"{os.getpid()}"), "a", buffering=1)     # noqa: PTH118, PTH123


class Meter:
    """Counts the rows of this process. A line costs some microseconds, and is written for thousands of rows."""

    def __init__(self) -> None:
        self._rows = 0
        self._told = 0
        self._file: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Meter, ()

    def add(self, rows: int) -> None:
        """So many rows more."""
        self._rows += rows
        if self._rows - self._told >= ROWS:
            self._told = self._rows
            if self._file is None:
                self._file = meter()
            self._file.write(f"{time.monotonic()} {self._rows}\n")


class Ages:
    """How old rows were when a function was called with them: a line ``seconds milliseconds`` for each."""

    def __init__(self) -> None:
        self._file: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Ages, ()

    def add(self, due_s: float) -> None:
        """One row more, which was due then, in seconds since 1970."""
        if self._file is None:
            self._file = meter()
        self._file.write(f"{time.monotonic()} {1e3 * (time.time() - due_s):.3f}\n")


METER = Meter()
AGES = Ages()


def by_row(a: float, b: float) -> float:
    """For single rows."""
    METER.add(1)
    return a * 1.8 + 32.0 if a > b else b


def aged(due_s: float, a: float, b: float) -> float:
    """The same for rows that come one at a time."""
    AGES.add(due_s)
    return a * 1.8 + 32.0 if a > b else b


class Aged:
    """The same as a class of Despina's, for relay packets."""

    def process(self, sequence: int, due: Any) -> float:
        """A packet."""
        return aged(due.timestamp(), float(sequence % 101), float(sequence % 97))


def by_array(a: Any, b: Any) -> Any:
    """For arrays of numpy, and what can be made one."""
    import numpy

    METER.add(len(a))
    return numpy.where(numpy.asarray(a) > numpy.asarray(b), numpy.asarray(a) * 1.8 + 32.0, numpy.asarray(b))


def mean(state: tuple[int, float] | None, a: float) -> tuple[tuple[int, float], float]:
    """The state of a key with one value more, and its mean."""
    METER.add(1)
    n, total = state or (0, 0.0)
    n, total = n + 1, total + a
    return (n, total), total / n


def words() -> tuple[str, int, str]:
    """What a job is told: the work, how many keys there are, and the way in which it runs."""
    work, keys, mode = sys.argv[1:4]
    return work, int(keys), mode


def batch_rows(usual: int) -> int:
    """How many rows a micro-batch has, which a job may be told."""
    return usual if sys.argv[4] == "-" else int(sys.argv[4])
