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
