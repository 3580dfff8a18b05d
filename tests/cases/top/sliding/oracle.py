from collections import defaultdict

from support.oracle import START_MS, stamp, starts


def packets():
    """The generator's rows, by their formulas, in order of (ts, id)."""
    rows = []
    for k in range(300):
        ms = START_MS + k * 50 + k * 7919 % 900
        t = None if k * 31 % 4 == 3 else f"t{k * 31 % 4}"
        rows.append({"id": k, "ms": ms, "t": t, "x": k * 7919 % 11 / 4})
    return sorted(rows, key=lambda p: (p["ms"], p["id"]))


def expected(folder):
    """Each window sorted, and cut."""
    windows = defaultdict(list)
    for p in packets():
        for start in starts(p["ms"], 2000, 700):
            windows[start + 2000].append(p)
    rows = []
    for end, of in windows.items():
        of.sort(key=lambda p: (p["t"] is None, p["t"] or "", -p["x"]))
        rows += [{"until": stamp(end), "id": p["id"], "t": p["t"], "x": p["x"]} for p in of[:4]]
    return {"rows": rows}
