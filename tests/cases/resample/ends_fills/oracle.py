from datetime import UTC, datetime, timedelta


def stamp(ms):
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def groups():
    """The packets of each g in event order, by the generator's formulas: milliseconds, number, x."""
    found = {}
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900 + k // 50 * 7000
        found.setdefault(None if k * 31 % 7 == 3 else k * 31 % 7, []).append((ms, k, k * 7919 % 101 - 50))
    return {g: sorted(packets) for g, packets in found.items()}


def points():
    """Each point at most 2200 ms after its group's last packet: g, milliseconds, that packet, the next one if in time."""
    for g, packets in groups().items():
        for ms in range(packets[0][0], packets[-1][0] + 2200 + 1):
            last = [p for p in packets if p[0] <= ms][-1] if ms % 500 == 0 else None
            if last and ms - last[0] <= 2200:
                after = [p for p in packets if p[0] > ms and p[0] - last[0] <= 2200]
                yield g, ms, last, last if last[0] == ms else after[0] if after else None


def expected(folder):
    """Lines to the next packet, where there is one."""
    rows = []
    for g, ms, p, q in points():
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
