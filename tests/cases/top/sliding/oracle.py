from collections import defaultdict
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def packets():
    """The generator's rows, by their formulas, in order of (ts, id)."""
    rows = []
    for k in range(300):
        ms = 1_700_000_000_000 + k * 50 + k * 7919 % 900
        t = None if k * 31 % 4 == 3 else f"t{k * 31 % 4}"
        rows.append({"id": k, "ms": ms, "t": t, "x": k * 7919 % 11 / 4})
    return sorted(rows, key=lambda p: (p["ms"], p["id"]))


def expected(folder):
    """Each window sorted, and cut."""
    windows = defaultdict(list)
    for p in packets():
        end = p["ms"] // 700 * 700 + 2000
        while end > p["ms"]:
            windows[end].append(p)
            end -= 700
    rows = []
    for end, of in windows.items():
        of.sort(key=lambda p: (p["t"] is None, p["t"] or "", -p["x"]))
        until = EPOCH + timedelta(milliseconds=end)
        rows += [{"until": until, "id": p["id"], "t": p["t"], "x": p["x"]} for p in of[:4]]
    return {"rows": rows}
