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


def runs(key, within):
    """The packets of each key, cut into runs: each begins when the one before is so old."""
    found = []
    for of in {key(p) for p in packets()}:
        alike = [p for p in packets() if key(p) == of]
        while alike:
            found.append([p for p in alike if p["ts"] < alike[0]["ts"] + within])
            alike = alike[len(found[-1]) :]
    return found


def expected(folder):
    """The first of each run."""
    return {"rows": [run[0] for run in runs(lambda p: p["g"], timedelta(seconds=3))]}
