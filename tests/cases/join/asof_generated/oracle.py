def packets():
    """The generator's rows, by their formulas."""
    rows = []
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        rows.append({"id": k, "ms": ms, "g": k * 31 % 5, "x": k * 7919 % 101 - 50})
    return rows


def expected(folder):
    """The greatest right packet at or before each left one by (time, id), looked for among all."""
    rights = [(1_700_000_000_000 + k * 333 + k * 104729 % 700, k, k * 17 % 6) for k in range(300)]
    rows = []
    for p in packets():
        before = [r for r in rights if r[2] == p["g"] and r[:2] <= (p["ms"], p["id"])]
        ms, rid, _ = max(before, default=(0, 0, 0))
        found = bool(before) and p["ms"] - ms <= 1500
        rows.append({"id": p["id"], "g": p["g"], "rid": rid if found else None, "v": str(rid * rid) if found else None})
    return {"rows": rows}
