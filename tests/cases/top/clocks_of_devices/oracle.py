from support.oracle import of_devices, stamp, starts


def greatest():
    """Of each half of a device's packets in each window, two: the greatest modulo 20, the earlier of equal ones."""
    windows = {}
    for device, ms, number, x in of_devices():
        for start in starts(ms, 9000, 3000):
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
