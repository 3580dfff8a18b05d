from datetime import timedelta

from support.oracle import floor, timed_texts


def expected(folder):
    """Window by window: by t with NULL last, by x downwards, then in event order."""
    size, offset = timedelta(seconds=3), timedelta(milliseconds=700)
    rows = []
    for p in timed_texts():
        rows.append((floor(p["ts"], size, offset), p["t"] is None, p["t"] or "", -p["x"], p["ts"], p["id"], p))
    return {"rows": [{"since": row[0], "window_time": row[0] + size - timedelta(microseconds=1), "id": row[-1]["id"],
                      "t": row[-1]["t"], "x": row[-1]["x"]} for row in sorted(rows, key=lambda row: row[:-1])]}
