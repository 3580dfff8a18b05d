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


def floor(time, ms):
    """The start of the period that holds a time."""
    return EPOCH + (time - EPOCH) // timedelta(milliseconds=ms) * timedelta(milliseconds=ms)


def expected(folder):
    """The last of each group and period; how many there are in three periods."""
    rows = [{"window_time": since + timedelta(milliseconds=700) - timedelta(microseconds=1), "t": t, "id": p["id"], "ts": p["ts"]}
            for (since, t), p in {(floor(p["ts"], 700), p["t"]): p for p in packets()}.items()]
    counts = {}
    for row in rows:
        since = floor(row["window_time"], 2100)
        counts[since] = counts.get(since, 0) + 1
    return {"rows": rows, "counts": [{"since": since, "n": n} for since, n in counts.items()]}
