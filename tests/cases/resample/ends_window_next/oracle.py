from support.resample_oracle import groups, points, windows


def expected(folder):
    """The points of each three seconds."""
    return {"rows": windows((g, ms, q and q[2]) for g, ms, _, q in points(groups(3000), 2200))}
