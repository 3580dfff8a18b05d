from support.oracle import devices, stamp


def expected(folder):
    """The last value at or before each half second between a device's first packet and its last."""
    rows = []
    for device, packets in devices().items():
        first = -(-packets[0][0] // 500) * 500
        for point in range(first, packets[-1][0] + 1, 500):
            rows.append({"ts": stamp(point), "g": device, "x": [x for ms, _, x in packets if ms <= point][-1]})
    return {"rows": rows}
