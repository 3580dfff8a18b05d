from datetime import timedelta

from support.oracle import floor, timed_texts


def expected(folder):
    """The last of each group and period; how many there are in three periods."""
    rows = [{"window_time": since + timedelta(milliseconds=700) - timedelta(microseconds=1), "t": t, "id": p["id"], "ts": p["ts"]}
            for (since, t), p in {(floor(p["ts"], timedelta(milliseconds=700)), p["t"]): p for p in timed_texts()}.items()]
    counts = {}
    for row in rows:
        since = floor(row["window_time"], timedelta(milliseconds=2100))
        counts[since] = counts.get(since, 0) + 1
    return {"rows": rows, "counts": [{"since": since, "n": n} for since, n in counts.items()]}
