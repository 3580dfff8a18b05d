from support.oracle import readings


def expected(folder):
    """In order of (ts, id), a running list per group."""
    seen = {}
    rows = []
    for p in readings():
        xs = seen.setdefault(p["g"], [])
        xs.append(p["x"])
        rows.append({"id": p["id"], "g": p["g"], "x": p["x"], "n": len(xs), "total": sum(xs), "most": max(xs)})
    return {"rows": rows}
