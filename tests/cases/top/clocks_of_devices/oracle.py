from datetime import UTC, datetime, timedelta


def stamp(ms, us=0):
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms, microseconds=us)


def source():
    """The source's rows, by their formulas: number, device, milliseconds, value."""
    for k in range(400):
        device = k * 31 % 5
        yield k, device, 1_700_000_000_000 + k * 250 + k * 7919 % 900 - device * 3_600_000, k * 7919 % 101 - 50


def greatest():
    """Of each half of a device's packets in each window, two: the greatest modulo 20, the earlier of equal ones."""
    windows = {}
    for number, device, ms, x in source():
        for start in range(ms // 3000 * 3000, ms - 9000, -3000):
            windows.setdefault((start, device, number % 2), []).append((-(x % 20), ms, number, x))
    for (start, device, _), packets in windows.items():
        for _, _, number, x in sorted(packets)[:2]:
            yield start + 9000, number, device, x


def expected(folder):
    """Nothing is late."""
    slides, minutes = [], {}
    for end, number, device, x in greatest():
        slides.append({"slide": stamp(end, -1), "id": number, "device": device, "x": x})
        minutes.setdefault(((end - 1) // 60_000 * 60_000, device), []).append(x)
    return {
        "each_slide": slides,
        "each_minute": [{"finish": stamp(start + 60_000), "device": device, "n": len(values), "most": max(values)}
                        for (start, device), values in minutes.items()],
    }
