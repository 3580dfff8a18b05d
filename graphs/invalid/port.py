"""Sources of python_ends.graph.json."""


def opened(context, path):
    """One argument too many."""
    yield path


def lines(context):
    """As it should be."""
    yield context.options["line"]


def bare():
    """Without `context`, which has the options."""
    yield "line"
