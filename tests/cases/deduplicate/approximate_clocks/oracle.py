from support.oracle import of_devices, stamp


def expected(folder):
    """The first of each device's values that are alike modulo 7; and of those alike modulo 3, once in 2.8 seconds."""
    rows, few, seen, since = [], [], set(), {}
    for device, ms, number, x in sorted(of_devices()):
        row = {"id": number, "g": device, "ts": stamp(ms), "x": x}
        if (device, x % 7) not in seen:
            seen.add((device, x % 7))
            rows.append(row)
        # a key is forgotten after 2.8 seconds, or up to a seventh later: there is no packet in between
        gap = ms - since.get((device, x % 3), 0)
        assert gap < 2800 or gap > 3200
        if gap > 3200:
            since[device, x % 3] = ms
            few.append(row)
    return {"rows": rows, "few": few}
