from datetime import UTC, datetime, timedelta
from decimal import Decimal


def packets():
    """The generator's rows, by their formulas, in order of (ts, id)."""
    rows = []
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        g = None if k * 31 % 7 == 3 else k * 31 % 7
        ts = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
        rows.append({"id": k, "ts": ts, "g": g, "x": k * 7919 % 101 - 50})
    return sorted(rows, key=lambda p: (p["ts"], p["id"]))


def groups():
    """The packets of each g."""
    found = {}
    for p in packets():
        found.setdefault(p["g"], []).append(p)
    return found.values()


def moves(group):
    """Each packet that is far from the last one that was."""
    previous = None
    for p in group:
        if previous is None or abs(p["x"] - previous) > 7:
            yield p, previous
            previous = p["x"]


def expected(folder):
    """By group, and over all in tenths, where a difference of exactly 0.7 is none."""
    rows = [
        {"ts": p["ts"], "id": p["id"], "x": p["x"], "moved": None if previous is None else p["x"] - previous}
        for group in groups()
        for p, previous in moves(group)
    ]
    tenths = [{"id": p["id"], "previous": None if q is None else Decimal(q).scaleb(-1)} for p, q in moves(packets())]
    return {"rows": rows, "tenths": tenths}
