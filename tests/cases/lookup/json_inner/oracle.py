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


ROWS = [(0, 0.0, ["a", "b"]), (1, 0.25, None), (1, 0.25, ["c"]), (5, 2.5, []), (None, 0.5, ["d"])]


def expected(folder):
    """The packets whose number and x are in the table, with its tags."""
    return {"rows": [p | {"tags": tags} for p in packets() for n, half, tags in ROWS if n == p["id"] % 9 and half == p["x"]]}
