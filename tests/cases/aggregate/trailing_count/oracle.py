from support.oracle import grouped, readings, stamp


def expected(folder):
    """Slices of each group."""
    rows = []
    for g, packets in grouped(readings(), lambda p: p["g"]).items():
        for k, p in enumerate(packets):
            last = packets[max(0, k - 8):k + 1]
            mean = sum(q["x"] for q in last) / len(last)
            rows.append({"id": p["id"], "ts": stamp(p["ms"]), "g": g, "above": p["x"] - mean, "n": len(last),
                         "least": min(q["x"] for q in last), "first": last[0]["id"]})
    return {"rows": rows}
