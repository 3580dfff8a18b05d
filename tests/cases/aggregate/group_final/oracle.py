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
    """By a dict of lists."""
    groups = {}
    for p in packets():
        groups.setdefault((p["g"] % 2, p["x"] > 0), []).append(p)
    return {
        "rows": [
            {
                "odd": odd,
                "positive": positive,
                "n": len(ps),
                "total": sum(p["y"] for p in ps),
                "where": max((p["x"], p["id"]) for p in ps)[1],
                "groups": sorted({p["g"] for p in ps}),
            }
            for (odd, positive), ps in groups.items()
        ]
    }
