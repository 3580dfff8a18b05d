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


def row(g, packets, start, end):
    """A window's row."""
    return {"start": start, "finish": end, "ts": end - timedelta(microseconds=1), "g": g, "n": len(packets),
            "total": sum(p["x"] for p in packets), "first": packets[0]["id"], "last": packets[-1]["id"]}


def expected(folder):
    """Slices of each group."""
    return {"rows": [row(g, packets[k:k + 7], stamp(packets[k]["ms"]), stamp(packets[k + 6]["ms"], 1))
                     for g, packets in groups().items() for k in range(0, len(packets) - 6, 3)]}
