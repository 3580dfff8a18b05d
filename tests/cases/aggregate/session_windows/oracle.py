from datetime import timedelta

from support.oracle import grouped, readings, stamp


def row(g, packets, start, end):
    """A window's row."""
    return {"start": start, "finish": end, "ts": end - timedelta(microseconds=1), "g": g, "n": len(packets),
            "total": sum(p["x"] for p in packets), "first": packets[0]["id"], "last": packets[-1]["id"]}


def expected(folder):
    """Splits each group where the gap is."""
    rows = []
    for g, packets in grouped(readings(), lambda p: p["g"]).items():
        session = []
        for p, after in zip(packets, [*packets[1:], None], strict=True):
            session.append(p)
            if after is None or after["ms"] - p["ms"] >= 1300:
                rows.append(row(g, session, stamp(session[0]["ms"]), stamp(p["ms"] + 1300)))
                session = []
    return {"rows": rows}
