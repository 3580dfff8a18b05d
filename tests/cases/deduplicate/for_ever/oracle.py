from datetime import timedelta

from support.oracle import events, runs


def expected(folder):
    """The first of all with a key; a run of all packets."""
    return {
        "rows": [run[0] for run in runs(events(), lambda p: p["x"], timedelta(days=1))],
        "few": [run[0] for run in runs(events(), lambda p: 0, timedelta(seconds=2))],
    }
