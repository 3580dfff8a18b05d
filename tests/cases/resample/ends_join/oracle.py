from support.oracle import stamp
from support.resample_oracle import groups


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
