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
    """From a value above 20 to one below -40, for at most 6 seconds."""
    rows = []
    for device, packets in devices().items():
        window = []
        for ms, _, x in [*packets, (10**15, 0, 0)]:
            if window and ms >= window[0][0] + 6000:
                rows.append(row(device, window, stamp(window[0][0] + 6000)))
                window = []
            if window or x > 20:
                window.append((ms, x))
                if x < -40:
                    rows.append(row(device, window, stamp(ms, 1)))
                    window = []
    return {"rows": rows}


def row(device, window, finish):
    """The row of a window's packets."""
    return {"start": stamp(window[0][0]), "finish": finish, "g": device, "n": len(window), "total": sum(x for _, x in window)}
