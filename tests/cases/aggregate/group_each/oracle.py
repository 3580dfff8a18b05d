from datetime import UTC, datetime, timedelta


def packets():
    """The generator's rows, by their formulas."""
    rows = []
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        x = k * 7919 % 101 - 50
        rows.append({"id": k, "ms": ms, "g": k * 31 % 5, "x": x, "y": k * 13 % 7 / 2})
    return rows


def stamp(ms):
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def expected(folder):
    """In order of (ts, id), a running list per group."""
    seen = {}
    rows = []
    for p in sorted(packets(), key=lambda p: (p["ms"], p["id"])):
        xs = seen.setdefault(p["g"], [])
        xs.append(p["x"])
        rows.append({"id": p["id"], "g": p["g"], "x": p["x"], "n": len(xs), "total": sum(xs), "most": max(xs)})
    return {"rows": rows}
