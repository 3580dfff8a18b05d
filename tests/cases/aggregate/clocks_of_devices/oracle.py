from datetime import UTC, datetime, timedelta


def stamp(ms, us=0):
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms, microseconds=us)


def source():
    """The source's rows, by their formulas: device, half, milliseconds, absolute value."""
    for k in range(400):
        device = k * 31 % 5
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900 - device * 3_600_000
        yield device, k % 2, ms, abs(k * 7919 % 101 - 50)


def sessions():
    """Each device's rows, parted where nothing comes for 1.3 seconds."""
    devices = {}
    for device, _, ms, x in source():
        devices.setdefault(device, []).append((ms, x))
    for device, packets in devices.items():
        session = []
        for ms, x in [*sorted(packets), (10**15, 0)]:
            if session and ms - session[-1][0] >= 1300:
                yield {"start": stamp(session[0][0]), "finish": stamp(session[-1][0] + 1300), "device": device, "n": len(session),
                       "total": sum(value for _, value in session)}
                session = []
            session.append((ms, x))


def expected(folder):
    """The sums of each window: nothing is lost."""
    seconds, slides, minutes = {}, {}, {}
    for device, half, ms, x in source():
        seconds.setdefault((half, device, ms // 1000 * 1000), []).append(x)
        for start in range(ms // 2000 * 2000, ms - 6000, -2000):
            slides.setdefault((device, start), []).append(x)
    for (_, device, ms), values in seconds.items():
        minutes.setdefault((device, ms // 60_000 * 60_000), []).append(values)
    return {
        "each_session": list(sessions()),
        "each_second": [{"window_time": stamp(ms + 1000, -1), "half": half, "device": device, "n": len(values),
                         "total": sum(values)} for (half, device, ms), values in seconds.items()],
        "each_slide": [{"start": stamp(ms), "device": device, "total": sum(values)}
                       for (device, ms), values in slides.items()],
        "each_minute": [{"finish": stamp(ms + 60_000), "device": device, "n": sum(len(one) for one in groups),
                         "most": max(sum(one) for one in groups)} for (device, ms), groups in minutes.items()],
    }
