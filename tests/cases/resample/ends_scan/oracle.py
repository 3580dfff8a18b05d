import math
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
    """NULL comes before all other keys."""
    total = 0
    rows = []
    for n, (g, ms, p, _) in enumerate(sorted(points(), key=lambda at: (at[1], -1 if at[0] is None else at[0])), 1):
        total = int(math.fmod(total * 3, 1_000_003)) + p[2]
        rows.append({"ts": stamp(ms), "g": g, "n": n, "total": total})
    return {"rows": rows}
