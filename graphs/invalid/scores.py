"""Functions of python_function.graph.json."""


def anomaly(celsius):
    """One column."""
    return celsius


def misspelt(celsus):
    """A parameter that is no column."""
    return celsus


def two(id, celsius):
    """Two columns."""
    return id + celsius


class Model:
    """Without `open`, where options would be."""

    def process(self, celsius):
        """One column."""
        return celsius


class Mean:
    """With a state, which the graph does not keep."""

    def process(self, key, row, state):
        """Its rows so far."""
        state.n = (state.n or 0) + 1
        return state.n
