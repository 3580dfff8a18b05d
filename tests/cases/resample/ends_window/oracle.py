from support.resample_oracle import groups, points, windows


def expected(folder):
    """The points of each three seconds."""
    return {"rows": windows((g, ms, p[2] if ms - p[0] <= 1500 else None) for g, ms, p, _ in points(groups(3000), 2200))}
