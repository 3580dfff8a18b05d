from support.oracle import moment_ms, stamp


def expected(folder):
    """The last packet at or before each point, if it is at most 1300 ms old."""
    packets = sorted((moment_ms(k) + k // 50 * 7000, k) for k in range(400))
    rows = []
    for point in range(-(-packets[0][0] // 700) * 700, packets[-1][0] + 1301, 700):
        at, k = max(p for p in packets if p[0] <= point)
        if point - at <= 1300:
            rows.append({"ts": stamp(point), "id": k, "n": len(rows) + 1})
    return {"rows": rows}
