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


def expected(folder):
    """The first of all with a key; and all, since the values of x come back after more than a millisecond."""
    firsts = {}
    for packet in packets():
        firsts.setdefault(packet["x"], packet)
    return {"rows": list(firsts.values()), "few": packets()}
