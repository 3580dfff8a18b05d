from datetime import UTC, datetime, timedelta


def stamp(ms):
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def groups():
    """The packets of each g in event order, by the generator's formulas: milliseconds, number, x."""
    found = {}
    for k in range(3000):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900 + k // 50 * 7000
        found.setdefault(None if k * 31 % 7 == 3 else k * 31 % 7, []).append((ms, k, k * 7919 % 101 - 50))
    return {g: sorted(packets) for g, packets in found.items()}


def points():
    """Each point at most 2200 ms after its group's last packet: g, milliseconds, that packet, the next one if in time."""
    for g, packets in groups().items():
        for ms in range(-(-packets[0][0] // 500) * 500, packets[-1][0] + 2200 + 1, 500):
            last = max(p for p in packets if p[0] <= ms)
            if ms - last[0] <= 2200:
                after = [p for p in packets if p[0] > ms and p[0] - last[0] <= 2200]
                yield g, ms, last, last if last[0] == ms else after[0] if after else None


def expected(folder):
    """The points of each three seconds."""
    windows = {}
    for g, ms, _, q in points():
        windows.setdefault((ms // 3000, g), []).append(q and q[2])
    rows = []
    for (window, g), xs in windows.items():
        known = [x for x in xs if x is not None]
        at = stamp(window * 3000 + 3000) - timedelta(microseconds=1)
        total = sum(known) if known else None
        rows.append({"window_time": at, "g": g, "n": len(xs), "known": len(known), "total": total})
    return {"rows": rows}
