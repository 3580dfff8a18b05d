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
    """A walk through each group."""
    rows = []
    for group in groups():
        previous = None
        for p in group:
            value = None if p["x"] % 5 == 0 else f"s{int(p['x'] / 30)}"
            if value is not None and value != previous:
                rows.append(p | {"previous": previous})
                previous = value
    return {"rows": rows}
