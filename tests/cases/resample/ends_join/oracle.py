from datetime import UTC, datetime, timedelta


def stamp(ms):
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def groups():
    """The packets of each g in event order, by the generator's formulas: milliseconds, number, x."""
    found = {}
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900 + k // 50 * 7000
        found.setdefault(None if k * 31 % 7 == 3 else k * 31 % 7, []).append((ms, k, k * 7919 % 101 - 50))
    return {g: sorted(packets) for g, packets in found.items()}


def points(kind):
    """By point, the last packet of that kind, if it is at most three seconds old."""
    found = {}
    for g, packets in groups().items():
        for at, k, x in packets:
            if k % 2 == kind:
                found |= {(ms, g): (k, x) for ms in range(-(-at // 500) * 500, at + 3001, 500)}
    return found


def expected(folder):
    """Where both kinds have a point; a later packet takes a point from an earlier one."""
    left, right = points(0), points(1)
    rows = [
        {"ts": stamp(ms), "g": g, "id": left[ms, g][0], "x": right[ms, g][1]}
        for ms, g in left
        if g is not None and (ms, g) in right
    ]
    return {"rows": rows}
