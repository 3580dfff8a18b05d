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
    """Window by window: by t with NULL last, by x downwards, then in event order."""
    size, offset = timedelta(seconds=3), timedelta(milliseconds=700)
    rows = []
    for p in packets():
        if p["ts"] is not None:
            start = EPOCH + (p["ts"] - EPOCH - offset) // size * size + offset
            rows.append((start, p["t"] is None, p["t"] or "", -p["x"], p["ts"], p["id"], p))
    return {"rows": [{"since": row[0], "window_time": row[0] + size - timedelta(microseconds=1), "id": row[-1]["id"],
                      "t": row[-1]["t"], "x": row[-1]["x"]} for row in sorted(rows, key=lambda row: row[:-1])]}
