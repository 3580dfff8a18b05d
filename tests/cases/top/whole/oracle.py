from collections import defaultdict
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def packets():
    """The generator's rows with an event time, by their formulas, in order of (ts, id)."""
    rows = []
    for k in range(1, 300):
        ms = 1_700_000_000_000 + k * 50 + k * 7919 % 900
        t = None if k * 31 % 4 == 3 else f"t{k * 31 % 4}"
        rows.append({"id": k, "ts": EPOCH + timedelta(milliseconds=ms), "t": t, "x": k * 7919 % 11 / 4})
    return sorted(rows, key=lambda p: (p["ts"], p["id"]))


def expected(folder):
    """The least of each group and window. The packet whose event time is NULL is in no window."""
    groups = defaultdict(list)
    for p in packets():
        groups[(p["ts"] - EPOCH) // timedelta(seconds=3), p["t"], p["x"] > 1].append(p)
    return {"rows": [min(of, key=lambda p: p["id"] * 13 % 17) for of in groups.values()]}
