from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def packets():
    """The generator's rows, by their formulas."""
    rows = []
    for k in range(300):
        ts = None if k == 0 else EPOCH + timedelta(milliseconds=1_700_000_000_000 + k * 50 + k * 7919 % 900)
        t = None if k * 31 % 4 == 3 else f"t{k * 31 % 4}"
        rows.append({"id": k, "ts": ts, "t": t, "x": k * 7919 % 11 / 4})
    return rows


def expected(folder):
    """All packets, sorted once."""
    ordered = sorted(packets(), key=lambda p: (-p["x"], p["id"] % 7, p["id"]))
    return {"rows": [{"id": p["id"], "x": p["x"] * 4} for p in ordered]}
