from support.oracle import devices, stamp


def expected(folder):
    """The first of each device's values that are alike modulo 7, and again after 5 seconds."""
    rows = []
    for device, packets in devices().items():
        since = {}
        for ms, number, x in packets:
            if ms - since.get(x % 7, 0) >= 5000:
                since[x % 7] = ms
                rows.append({"id": number, "g": device, "ts": stamp(ms), "x": x})
    return {"rows": rows}
