from datetime import timedelta

from support.oracle import grouped, readings, stamp


def row(g, packets, start, end):
    """A window's row."""
    return {"start": start, "finish": end, "ts": end - timedelta(microseconds=1), "g": g, "n": len(packets),
            "total": sum(p["x"] for p in packets), "first": packets[0]["id"], "last": packets[-1]["id"]}


def expected(folder):
    """Walks through each group."""
    rows = []
    for g, packets in grouped(readings(), lambda p: p["g"]).items():
        inside = []
        for p in packets:
            if inside and p["ms"] - inside[0]["ms"] >= 10_000:
                rows.append(row(g, inside, stamp(inside[0]["ms"]), stamp(inside[0]["ms"] + 10_000)))
                inside = []
            if inside or p["x"] > 30:
                inside.append(p)
                if p["x"] < -20:
                    rows.append(row(g, inside, stamp(inside[0]["ms"]), stamp(p["ms"], 1)))
                    inside = []
        if inside:
            rows.append(row(g, inside, stamp(inside[0]["ms"]), stamp(inside[0]["ms"] + 10_000)))
    return {"rows": rows}
