"""The functions of experiment ``python_functions``, which the loops beside them call too."""

from typing import Any


def by_row(a: float, b: float) -> float:
    """For single rows."""
    return a * 1.8 + 32.0 if a > b else b


def by_array(a: Any, b: Any) -> Any:
    """For arrays of numpy."""
    import numpy

    return numpy.where(a > b, a * 1.8 + 32.0, b)


class Mean:
    """Of each key, so far."""

    def process(self, key: Any, row: Any, state: Any) -> Any:
        """A row of that key."""
        state.n = (state.n or 0) + 1
        state.total = (state.total or 0.0) + row.a
        return state.total / state.n
