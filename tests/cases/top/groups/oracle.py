from collections import Counter, defaultdict
from datetime import timedelta

from support.oracle import START_MS, floor, stamp


def packets():
    """The generator's rows, by their formulas, in order of (ts, id)."""
    rows = []
    for k in range(400):
        g = None if k * 31 % 7 == 3 else k * 31 % 7
        x = k * 7919 % 11 - 5
        rows.append({"id": k, "ts": stamp(START_MS + k * 50 + k * 7919 % 900), "g": g, "x": None if x == 2 else x})
    return sorted(rows, key=lambda p: (p["ts"], p["id"]))


def expected(folder):
    """Each group of each window sorted, and cut."""
    groups = defaultdict(list)
    for p in packets():
        groups[floor(p["ts"], timedelta(seconds=1), timedelta(milliseconds=300)), p["g"]].append(p)
    rows = []
    for (since, _), of in groups.items():
        of.sort(key=lambda p: (p["x"] is None, -(p["x"] or 0)))
        time = since + timedelta(seconds=1) - timedelta(microseconds=1)
        rows += [{"window_time": time, **p, "since": since, "twice": None if p["x"] is None else 2 * p["x"]} for p in of[:3]]
    counts = Counter(floor(r["window_time"], timedelta(seconds=5)) for r in rows)
    return {"rows": rows, "counts": [{"since": since, "n": n} for since, n in counts.items()]}
