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


def expected(folder):
    """Gaps of each group, and its end."""
    rows, returned, within = [], [], timedelta(seconds=2)
    for group in groups():
        for p, q in zip(group, [*group[1:], None], strict=True):
            if q is None or q["ts"] - p["ts"] > within:
                rows.append({"ts": p["ts"] + within, "g": p["g"], "last": p["id"], "since": p["ts"]})
                returned += [q] if q else []
    return {"rows": rows, "returned": returned}
