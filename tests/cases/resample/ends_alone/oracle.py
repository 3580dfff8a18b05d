from support.oracle import stamp
from support.resample_oracle import groups, points


def expected(folder):
    """Of the last packet alone."""
    rows = []
    for g, ms, (at, k, x), _ in points(groups(), 2200, offset_ms=100):
        rows.append({"ts": stamp(ms), "g": g, "id": k if ms - at <= 900 else None, "x": x if ms == at else None, "age": ms - at})
    return {"rows": rows}
