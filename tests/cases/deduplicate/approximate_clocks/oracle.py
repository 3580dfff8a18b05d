from datetime import UTC, datetime, timedelta


def stamp(ms, us=0):
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms, microseconds=us)


def packets():
    """The source's packets by device, each device's in event order: device, milliseconds, number, value."""
    return sorted((k * 31 % 5, 1_700_000_000_000 + k * 250 + k * 7919 % 900 - k * 31 % 5 * 3_600_000, k, k * 7919 % 101 - 50)
                  for k in range(400))


def expected(folder):
    """The first of each device's values that are alike modulo 7; and of those alike modulo 3, once in 2.8 seconds."""
    rows, few, seen, since = [], [], set(), {}
    for device, ms, number, x in packets():
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
