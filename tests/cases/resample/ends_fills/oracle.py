from support.oracle import stamp
from support.resample_oracle import groups, points


def expected(folder):
    """Lines to the next packet, where there is one."""
    rows = []
    for g, ms, p, q in points(groups(), 2200):
        part = q and (0.0 if p == q else (ms - p[0]) / (q[0] - p[0]))
        line = None if q is None else p[2] + (q[2] - p[2]) * part
        rows.append(
            {
                "ts": stamp(ms),
                "g": g,
                "id": p[1],
                "x": line,
                "exactly": p[0] == ms,
                "between": q and q[1] - p[1],
                "last": q is None,
            }
        )
    return {"rows": rows}
