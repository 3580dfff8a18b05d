from datetime import UTC, datetime, timedelta


def packets():
    """The generator's rows, by their formulas, in order of (ts, id)."""
    rows = []
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        g = None if k * 31 % 7 == 3 else k * 31 % 7
        ts = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
        rows.append({"id": k, "ts": ts, "g": g, "x": k * 7919 % 101 - 50})
    return sorted(rows, key=lambda p: (p["ts"], p["id"]))


def groups():
    """The packets of each g."""
    found = {}
    for p in packets():
        found.setdefault(p["g"], []).append(p)
    return found.values()


STEPS = [
    # name, what fits, not, optional, at least, at most
    ("low", lambda p, run: p["x"] < -10, False, False, 1, 1),
    ("rising", lambda p, run: p["x"] > (run["rising"] or run["low"])[-1]["x"], False, False, 2, 4),
    ("peak", lambda p, run: p["x"] > 30, False, True, 1, 1),
    ("bad", lambda p, run: p["x"] in (0, 7, -7), True, False, 1, 1),
    ("high", lambda p, run: 14 <= p["x"] <= 26, False, False, 1, 1),
]


def step_of(run, at, p):
    """The farthest step that takes the packet; None if it ends the run, at - 1 if none takes it."""
    found = at - 1
    if len(run[STEPS[at][0]]) < STEPS[at][5] and STEPS[at][1](p, run):
        found = at
    if len(run[STEPS[at][0]]) >= STEPS[at][4]:
        farther = at - 1
        for k in range(at + 1, len(STEPS)):
            fits = STEPS[k][1](p, run)
            if STEPS[k][2]:
                if fits:
                    return farther if farther > at else None
                continue
            farther = k if fits else farther
            if not STEPS[k][3]:
                break
        found = max(found, farther)
    return found


def run_of(group, start):
    """What each step took, and where a match ends; None where there is none."""
    run, at = {step[0]: [] for step in STEPS}, 0
    run["low"].append(group[start])
    for k, p in enumerate(group[start + 1 :], start + 1):
        if p["ts"] - group[start]["ts"] > timedelta(seconds=20):
            return run, None
        step = step_of(run, at, p)
        if step is None:
            return run, None
        if step >= at:
            at = step
            run[STEPS[at][0]].append(p)
        if at == len(STEPS) - 1:
            return run, k
    return run, None


def matches(group):
    """Every run alone, by its start and its end."""
    found = []
    for start in range(len(group)):
        if group[start]["x"] < -10:
            run, end = run_of(group, start)
            if end is not None:
                found.append((end, start, run))
    return sorted(found, key=lambda match: match[:2])


def row(run):
    """What is selected."""
    peak = run["peak"][-1]["x"] if run["peak"] else None
    return {
        "ts": run["high"][-1]["ts"],
        "g": run["high"][-1]["g"],
        "low": run["low"][0]["id"],
        "first": run["rising"][0]["id"],
        "last": run["rising"][-1]["id"],
        "rises": len(run["rising"]),
        "peak": peak,
        "id": run["high"][-1]["id"],
    }


def expected(folder):
    """All matches, and those that begin after the end of the one before."""
    rows, every = [], []
    for group in groups():
        before = -1
        for end, start, run in matches(group):
            every.append(row(run))
            if start > before:
                rows.append(row(run))
                before = end
    return {"rows": rows, "every": every}
