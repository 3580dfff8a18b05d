from datetime import UTC, datetime, timedelta


def groups():
    """The generator's rows by group, in event order, by their formulas."""
    rows = {}
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        rows.setdefault(k * 31 % 5, []).append({"id": k, "ms": ms, "x": k * 7919 % 101 - 50})
    return {g: sorted(packets, key=lambda p: (p["ms"], p["id"])) for g, packets in rows.items()}


def stamp(ms, us=0):
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms, microseconds=us)


def expected(folder):
    """Slices of each group."""
    rows = []
    for g, packets in groups().items():
        for k, p in enumerate(packets):
            last = packets[max(0, k - 8):k + 1]
            mean = sum(q["x"] for q in last) / len(last)
            rows.append({"id": p["id"], "ts": stamp(p["ms"]), "g": g, "above": p["x"] - mean, "n": len(last),
                         "least": min(q["x"] for q in last), "first": last[0]["id"]})
    return {"rows": rows}
