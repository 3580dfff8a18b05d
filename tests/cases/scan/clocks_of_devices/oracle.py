from datetime import UTC, datetime, timedelta


def stamp(ms):
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def devices():
    """The source's rows by device, in event order, by their formulas."""
    rows = {}
    for k in range(400):
        device = k * 31 % 5
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900 - device * 3_600_000
        rows.setdefault(device, []).append({"id": k, "ms": ms, "x": k * 7919 % 101 - 50})
    return {device: sorted(packets, key=lambda p: (p["ms"], p["id"])) for device, packets in rows.items()}


def moved(device, sums):
    """The rows whose value is more than 200 from that of the row before, for even and odd ids."""
    rows = []
    for half in range(2):
        last = None
        for k, value in sums:
            if k % 2 == half and (last is None or abs(value - last) > 200):
                rows.append({"id": k, "g": device, "sum": value, "previous": last})
                last = value
    return rows


def expected(folder):
    """Folds each device alone."""
    found = {"all_sums": [], "all_moves": [], "all_each": [], "all_threes": []}
    for device, packets in devices().items():
        value, sums = 0, []
        for n, p in enumerate(packets, 1):
            value = (7 * value + p["x"]) % 1000
            sums.append((p["id"], value))
            found["all_sums"].append({"id": p["id"], "g": device, "ts": stamp(p["ms"]), "sum": value})
            found["all_each"].append({"id": p["id"], "n": n, "x": p["x"]})
        found["all_moves"] += moved(device, sums)
        for k in range(0, len(packets) - 2, 3):
            three = packets[k:k + 3]
            found["all_threes"].append({"g": device, "start": stamp(three[0]["ms"]), "first": three[0]["id"],
                                        "total": sum(p["x"] for p in three)})
    return found
