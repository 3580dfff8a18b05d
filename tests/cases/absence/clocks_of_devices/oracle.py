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
    """A row where a device's next packet is more than 1.2 seconds away, or there is none."""
    return {"rows": [{"g": device, "x": x, "since": stamp(ms), "at": stamp(ms + 1200)}
                     for device, packets in devices().items()
                     for (ms, _, x), after in zip(packets, [*packets[1:], (10**15, 0, 0)], strict=True) if after[0] - ms > 1200]}
