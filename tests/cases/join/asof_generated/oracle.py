from support.oracle import START_MS, readings


def expected(folder):
    """The greatest right packet at or before each left one by (time, id), looked for among all."""
    rights = [(START_MS + k * 333 + k * 104729 % 700, k, k * 17 % 6) for k in range(300)]
    rows = []
    for p in readings():
        before = [r for r in rights if r[2] == p["g"] and r[:2] <= (p["ms"], p["id"])]
        ms, rid, _ = max(before, default=(0, 0, 0))
        found = bool(before) and p["ms"] - ms <= 1500
        rows.append({"id": p["id"], "g": p["g"], "rid": rid if found else None, "v": str(rid * rid) if found else None})
    return {"rows": rows}
