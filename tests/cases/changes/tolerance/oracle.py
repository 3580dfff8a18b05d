from decimal import Decimal

from support.oracle import events, grouped


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
        for group in grouped(events(), lambda p: p["g"]).values()
        for p, previous in moves(group)
    ]
    tenths = [{"id": p["id"], "previous": None if q is None else Decimal(q).scaleb(-1)} for p, q in moves(events())]
    return {"rows": rows, "tenths": tenths}
