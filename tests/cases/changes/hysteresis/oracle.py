from datetime import UTC, datetime, timedelta


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


def expected(folder):
    """Knows the direction of the last move."""
    rows = []
    for group in groups():
        previous, direction = None, 0
        for p in group:
            value = p["x"] / 2
            if previous is None:
                rows.append({"id": p["id"], "g": p["g"], "previous": None})
                previous = value
                continue
            back = direction != 0 and (value > previous) != (direction > 0)
            if value != previous and abs(value - previous) > (20 if back else 3):
                rows.append({"id": p["id"], "g": p["g"], "previous": previous})
                direction = 1 if value > previous else -1
                previous = value
    return {"rows": rows}
