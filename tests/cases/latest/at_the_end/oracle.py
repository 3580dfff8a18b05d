from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def packets():
    """The generator's rows with an event time, by their formulas, in event order."""
    rows = []
    for k in range(1, 300):
        ts = EPOCH + timedelta(milliseconds=1_700_000_000_000 + k * 50 + k * 7919 % 900)
        t = None if k * 31 % 4 == 3 else f"t{k * 31 % 4}"
        rows.append({"id": k, "ts": ts, "t": t, "x": k * 7919 % 11 / 4})
    return sorted(rows, key=lambda p: (p["ts"], p["id"]))


def expected(folder):
    """The last of each group."""
    return {"rows": list({(p["t"], p["x"] > 1): p for p in packets()}.values())}
