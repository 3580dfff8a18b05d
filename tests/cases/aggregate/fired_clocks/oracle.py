from support.oracle import devices, far_from_order, of_devices, stamp, starts


def slides():
    """Each window's packets together: all come within its time for late ones."""
    groups = {}
    for device, ms, k, x in of_devices(far_from_order):
        for start in starts(ms, 4000, 1500):
            groups.setdefault((start, device, k % 2), []).append(x)
    for (start, device, half), values in groups.items():
        yield {"start": stamp(start), "last": True, "g": device, "half": half, "n": len(values), "total": sum(values)}


def sessions():
    """Each device's packets sorted, and cut where the next is 1.3 seconds later or more."""
    for device, packets in devices(far_from_order).items():
        found = []
        for ms, _, x in packets:
            if not found or ms - found[-1][-1][0] >= 1300:
                found.append([])
            found[-1].append((ms, x))
        for session in found:
            yield {"start": stamp(session[0][0]), "finish": stamp(session[-1][0] + 1300), "last": True, "g": device,
                   "n": len(session), "total": sum(x for _, x in session)}


def minutes():
    """The last packet of each minute of a device."""
    last = {}
    for device, ms, k, _ in of_devices(far_from_order):
        minute = device, ms // 60_000 * 60_000 + 60_000
        last[minute] = max(k, last.get(minute, 0))
    for (device, end), k in last.items():
        yield {"finish": stamp(end), "g": device, "id": k}


def expected(folder):
    return {"each_slide": list(slides()), "each_session": list(sessions()), "each_minute": list(minutes())}
