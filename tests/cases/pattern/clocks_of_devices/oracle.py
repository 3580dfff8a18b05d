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
    """The first high value in the 4 seconds before a low one; what lies between them begins nothing."""
    rows = []
    for device, packets in devices().items():
        runs = []
        for ms, number, x in packets:
            runs = [(began, high) for began, high in runs if ms - began <= 4000]
            if x < -20 and runs:
                rows.append({"g": device, "high": runs[0][1], "low": number})
                runs = []
            elif x > 30:
                runs.append((ms, number))
    return {"rows": rows}
