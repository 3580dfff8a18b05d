from datetime import timedelta

from support.oracle import events, grouped

WITHIN = timedelta(seconds=20)
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
    """What each step took, where a match ends, and whether the time ran out."""
    run, at = {step[0]: [] for step in STEPS}, 0
    run["low"].append(group[start])
    for k, p in enumerate(group[start + 1 :], start + 1):
        if p["ts"] - group[start]["ts"] > WITHIN:
            break
        step = step_of(run, at, p)
        if step is None:
            return run, None, False
        if step >= at:
            at = step
            run[STEPS[at][0]].append(p)
        if at == len(STEPS) - 1:
            return run, k, False
    return run, None, True


def row(run):
    """What is selected."""
    last = max((p for taken in run.values() for p in taken), key=lambda p: (p["ts"], p["id"]))
    ids = [p["id"] for p in run["rising"]]
    return {
        "ts": last["ts"],
        "g": last["g"],
        "low": run["low"][0]["id"],
        "first": ids[0] if ids else None,
        "last": ids[-1] if ids else None,
        "rises": len(ids),
        "peak": run["peak"][-1]["x"] if run["peak"] else None,
        "id": last["id"],
    }


def expected(folder):
    """Every run alone; matches that begin after the end of the one before, and what these did not end."""
    found = {"rows": [], "every": [], "given_up": [], "all_given_up": []}
    for group in grouped(events(), lambda p: p["g"]).values():
        runs = [(k, *run_of(group, k)) for k in range(len(group)) if group[k]["x"] < -10]
        ends = []
        for end, start, run in sorted(((end, k, run) for k, run, end, _ in runs if end is not None), key=lambda m: m[:2]):
            found["every"].append(row(run))
            if not ends or start > ends[-1]:
                found["rows"].append(row(run))
                ends.append(end)
        for start, run, _, late in runs:
            until = group[start]["ts"] + WITHIN
            if late:
                found["all_given_up"].append(row(run))
                if not any(end >= start and group[end]["ts"] <= until for end in ends):
                    found["given_up"].append(row(run))
    return found
