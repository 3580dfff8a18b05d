"""The functions of experiments ``python_functions``, whose loops call them too, and ``python_latency``."""

from typing import Any


def by_row(a: float, b: float) -> float:
    """For single rows."""
    return a * 1.8 + 32.0 if a > b else b


def by_array(a: Any, b: Any) -> Any:
    """For arrays of numpy."""
    import numpy

    return numpy.where(a > b, a * 1.8 + 32.0, b)


def by_batch(batch: Any) -> Any:
    """For batches of Arrow."""
    import pyarrow.compute as pc

    a, b = batch.columns
    return pc.if_else(pc.greater(a, b), pc.add(pc.multiply(a, 1.8), 32.0), b)


def by_polars(frame: Any) -> Any:
    """For frames of polars."""
    import polars

    a, b = polars.col("a"), polars.col("b")
    return frame.select(polars.when(a > b).then(a * 1.8 + 32.0).otherwise(b).alias("f"))


def by_pandas(frame: Any) -> Any:
    """For frames of pandas."""
    return (frame["a"] * 1.8 + 32.0).where(frame["a"] > frame["b"], frame["b"])


class Mean:
    """Of each key, so far."""

    def process(self, key: Any, row: Any, state: Any) -> Any:
        """A row of that key."""
        state.n = (state.n or 0) + 1
        state.total = (state.total or 0.0) + row.a
        return state.total / state.n


class Means:
    """The same of all rows of a key in a batch at once."""

    def process(self, key: Any, rows: Any, state: Any) -> Any:
        """The rows of that key."""
        n, total = state.n or 0, state.total or 0.0
        means = []
        for row in rows:
            n += 1
            total += row.a
            means.append(total / n)
        state.n, state.total = n, total
        return means
