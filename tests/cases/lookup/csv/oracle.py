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


ROWS = [("t0", "hall", 1.5), ("t2", "roof", 2.0), ("t0", "cellar", None), (None, "nowhere", 9.0)]


def expected(folder):
    """A row for each device of that name; NULLs where there is none."""
    return {"rows": [{"ts": p["ts"], "id": p["id"], "t": p["t"], "room": room,
                      "scaled": None if factor is None else p["x"] * factor}
                     for p in packets()
                     for _, room, factor in [row for row in ROWS if row[0] == p["t"] and p["t"]] or [(None, None, None)]]}
