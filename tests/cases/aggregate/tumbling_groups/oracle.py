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
    windows = {}
    for p in packets():
        windows.setdefault(((p["ms"] - 500) // 3000, p["g"]), []).append(p)
    return {
        "rows": [
            {
                "g": g,
                "start": stamp(w * 3000 + 500),
                "end": stamp(w * 3000 + 3500),
                "n": len(ps),
                "total": sum(p["x"] for p in ps),
                "swing": max(p["x"] for p in ps) - min(p["x"] for p in ps),
                "mean": sum(p["y"] for p in ps) / len(ps),
                "kinds": len({abs(p["x"]) % 3 * (1 if p["x"] > 0 else -1) for p in ps}),
                "above": sum(p["x"] > 0 for p in ps),
            }
            for (w, g), ps in windows.items()
        ]
    }
