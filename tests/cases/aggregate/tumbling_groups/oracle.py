from support.oracle import grouped, readings, stamp


def expected(folder):
    """By a dict of lists."""
    windows = grouped(readings(), lambda p: ((p["ms"] - 500) // 3000, p["g"]))
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
