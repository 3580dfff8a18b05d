from datetime import UTC, datetime, timedelta


def stamp(ms, us=0):
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms, microseconds=us)


def devices():
    """Each device's packets in event order, by the source's formulas: milliseconds, number, value."""
    found = {}
    for k in range(400):
        device = k * 31 % 5
        ms = (1_700_000_000_000 + k * 250 + k * 7919 % 900) // 500 * 500 - device * 3_600_000
        found.setdefault(device, []).append((ms, k, k * 7919 % 101 - 50))
    return {device: sorted(packets) for device, packets in found.items()}


def expected(folder):
    """Of each packet, those of its half from three seconds before it, and of its time; and the last three of its device."""
    each, three, minutes = [], [], {}
    for device, packets in devices().items():
        for at, (ms, number, _) in enumerate(packets):
            within = [x for other, k, x in packets if ms - 3000 <= other <= ms and k % 2 == number % 2]
            each.append({"id": number, "ts": stamp(ms), "device": device, "half": number % 2, "n": len(within),
                         "total": sum(within)})
            three.append({"id": number, "g": device, "least": min(x for _, _, x in packets[max(0, at - 2):at + 1])})
            minute = ms // 60_000 * 60_000
            minutes[device, minute] = minutes.get((device, minute), 0) + len(within)
    return {"each": each, "each_three": three, "each_minute": [
        {"finish": stamp(minute + 60_000), "device": device, "n": n} for (device, minute), n in minutes.items()]}
