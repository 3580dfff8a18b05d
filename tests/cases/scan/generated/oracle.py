def packets():
    """The generator's rows, by their formulas."""
    rows = []
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        rows.append({"id": k, "ms": ms, "g": k * 31 % 5, "x": k * 7919 % 101 - 50})
    return rows


def expected(folder):
    """A fold per group, in order of (ts, id)."""
    states = {}
    rows = []
    for p in sorted(packets(), key=lambda p: (p["ms"], p["id"])):
        low, run = states.get(p["g"], (p["x"] + 1, 0))
        least, next_run = min(low, p["x"]), 0 if p["x"] < low else run + 1
        states[p["g"]] = least, next_run
        if least < low or next_run % 3 == 0:
            rows.append({"id": p["id"], "g": p["g"], "before": low, "least": least, "run": next_run})
    return {"rows": rows}
