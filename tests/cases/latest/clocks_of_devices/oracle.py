from datetime import UTC, datetime, timedelta


def stamp(ms, us=0):
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms, microseconds=us)


def source():
    """The source's rows, by their formulas: number, device, milliseconds, value."""
    for k in range(400):
        device = k * 31 % 5
        yield k, device, 1_700_000_000_000 + k * 250 + k * 7919 % 900 - device * 3_600_000, k * 7919 % 101 - 50


def expected(folder):
    """The last in event order: of each device's packets of seven seconds; and of all whose values are alike modulo 3."""
    periods, once = {}, {}
    for number, device, ms, x in sorted(source(), key=lambda packet: (packet[2], packet[0])):
        periods[ms // 7000, device] = {"id": number, "g": device, "ts": stamp(ms), "x": x}
        once[x % 3] = {"id": number, "ts": stamp(ms)}
    return {"each_period": list(periods.values()), "once": list(once.values())}
