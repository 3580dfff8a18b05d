from support.oracle import devices, stamp


def expected(folder):
    """A row where a device's next packet is more than 1.2 seconds away, or there is none."""
    return {"rows": [{"g": device, "x": x, "since": stamp(ms), "at": stamp(ms + 1200)}
                     for device, packets in devices().items()
                     for (ms, _, x), after in zip(packets, [*packets[1:], (10**15, 0, 0)], strict=True) if after[0] - ms > 1200]}
