"""Two packets of each group a second: eight go from a first one to three seconds behind it."""

from support.oracle import START_MS, stamp


def expected(folder):
    """Of twenty packets of a group, by eights."""
    rows = []
    for g in range(3):
        ids = range(g, 60, 3)
        for at in range(0, 20, 8):
            rows.append({"ts": stamp(START_MS + (ids[at] // 6 + 3) * 1000), "g": g, "ids": list(ids[at:at + 8])})
    return {"rows": rows}
