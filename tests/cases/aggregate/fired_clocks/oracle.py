from datetime import UTC, datetime, timedelta


def stamp(ms):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def source():
    """The source's rows, by their formulas: number, device, milliseconds, value."""
    for k in range(400):
        device = k * 31 % 5
        yield k, device, 1_700_000_000_000 + k * 250 + k * 7581 % 2500 - device * 3_600_000, k * 7919 % 101 - 50


def slides():
    """Each window's packets together: all come within its time for late ones."""
    groups = {}
    for k, device, ms, x in source():
        for start in range(ms // 1500 * 1500, ms - 4000, -1500):
            groups.setdefault((start, device, k % 2), []).append(x)
    for (start, device, half), values in groups.items():
        yield {"start": stamp(start), "last": True, "g": device, "half": half, "n": len(values), "total": sum(values)}


def sessions():
    """Each device's packets sorted, and cut where the next is 1.3 seconds later or more."""
    devices = {}
    for _, device, ms, x in source():
        devices.setdefault(device, []).append((ms, x))
    for device, packets in devices.items():
        found = []
        for ms, x in sorted(packets):
            if not found or ms - found[-1][-1][0] >= 1300:
                found.append([])
            found[-1].append((ms, x))
        for session in found:
            yield {"start": stamp(session[0][0]), "finish": stamp(session[-1][0] + 1300), "last": True, "g": device,
                   "n": len(session), "total": sum(x for _, x in session)}


def minutes():
    """The last packet of each minute of a device."""
    last = {}
    for k, device, ms, _ in source():
        minute = device, ms // 60_000 * 60_000 + 60_000
        last[minute] = max(k, last.get(minute, 0))
    for (device, end), k in last.items():
        yield {"finish": stamp(end), "g": device, "id": k}


def expected(folder):
    return {"each_slide": list(slides()), "each_session": list(sessions()), "each_minute": list(minutes())}
