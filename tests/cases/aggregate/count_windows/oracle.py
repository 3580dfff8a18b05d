from datetime import timedelta

from support.oracle import grouped, readings, stamp


def row(g, packets, start, end):
    """A window's row."""
    return {"start": start, "finish": end, "ts": end - timedelta(microseconds=1), "g": g, "n": len(packets),
            "total": sum(p["x"] for p in packets), "first": packets[0]["id"], "last": packets[-1]["id"]}


def expected(folder):
    """Slices of each group."""
    return {"rows": [row(g, packets[k:k + 7], stamp(packets[k]["ms"]), stamp(packets[k + 6]["ms"], 1))
                     for g, packets in grouped(readings(), lambda p: p["g"]).items() for k in range(0, len(packets) - 6, 3)]}
