from support.oracle import grouped, readings


def expected(folder):
    """By a dict of lists."""
    groups = grouped(readings(), lambda p: (p["g"] % 2, p["x"] > 0))
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
