from support.oracle import readings


def expected(folder):
    """A fold per group, in order of (ts, id)."""
    states = {}
    rows = []
    for p in readings():
        low, run = states.get(p["g"], (p["x"] + 1, 0))
        least, next_run = min(low, p["x"]), 0 if p["x"] < low else run + 1
        states[p["g"]] = least, next_run
        if least < low or next_run % 3 == 0:
            rows.append({"id": p["id"], "g": p["g"], "before": low, "least": least, "run": next_run})
    return {"rows": rows}
