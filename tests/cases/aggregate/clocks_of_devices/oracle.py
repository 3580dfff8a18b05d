from support.oracle import devices, of_devices, stamp, starts


def sessions():
    """Each device's rows, parted where nothing comes for 1.3 seconds."""
    for device, packets in devices().items():
        session = []
        for ms, _, x in [*packets, (10**15, 0, 0)]:
            if session and ms - session[-1][0] >= 1300:
                yield {"start": stamp(session[0][0]), "finish": stamp(session[-1][0] + 1300), "device": device, "n": len(session),
                       "total": sum(abs(value) for _, value in session)}
                session = []
            session.append((ms, x))


def expected(folder):
    """The sums of each window: nothing is lost."""
    seconds, slides, minutes = {}, {}, {}
    for device, ms, number, x in of_devices():
        seconds.setdefault((number % 2, device, ms // 1000 * 1000), []).append(abs(x))
        for start in starts(ms, 6000, 2000):
            slides.setdefault((device, start), []).append(abs(x))
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
