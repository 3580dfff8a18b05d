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


NAMES = {0: "zero", 2: "two"}


def expected(folder):
    """Packets by window and name."""
    counts = {}
    for p in packets():
        if p["ts"] is not None:
            since = EPOCH + (p["ts"] - EPOCH) // timedelta(seconds=4) * timedelta(seconds=4)
            group = since, NAMES.get(p["id"] % 3)
            counts[group] = counts.get(group, 0) + 1
    return {"rows": [{"since": since, "name": name, "n": n} for (since, name), n in counts.items()]}
