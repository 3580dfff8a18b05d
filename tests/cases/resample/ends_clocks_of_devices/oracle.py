from support.resample_oracle import devices, points, windows


def expected(folder):
    """The points of each three seconds."""
    return {"rows": windows((g, ms, p[2]) for g, ms, p, _ in points(devices(), 1700))}
