from support.oracle import timed_texts


def expected(folder):
    """All packets with an event time."""
    return {"rows": timed_texts()}
