from support.oracle import devices, stamp


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
