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
    """The last value at or before each half second between a device's first packet and its last."""
    rows = []
    for device, packets in devices().items():
        first = -(-packets[0][0] // 500) * 500
        for point in range(first, packets[-1][0] + 1, 500):
            rows.append({"ts": stamp(point), "g": device, "x": [x for ms, _, x in packets if ms <= point][-1]})
    return {"rows": rows}
