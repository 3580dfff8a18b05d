from datetime import UTC, datetime, timedelta


def stamp(ms, us=0):
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms, microseconds=us)


def devices():
    """Each device's packets in event order, by the source's formulas: milliseconds, number, value."""
    found = {}
    for k in range(400):
        device = k * 31 % 5
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900 - device * 3_600_000
        found.setdefault(device, []).append((ms, k, k * 7919 % 101 - 50))
    return {device: sorted(packets) for device, packets in found.items()}


def expected(folder):
    """The first of each device's values that are alike modulo 7, and again after 5 seconds."""
    rows = []
    for device, packets in devices().items():
        since = {}
        for ms, number, x in packets:
            if ms - since.get(x % 7, 0) >= 5000:
                since[x % 7] = ms
                rows.append({"id": number, "g": device, "ts": stamp(ms), "x": x})
    return {"rows": rows}
