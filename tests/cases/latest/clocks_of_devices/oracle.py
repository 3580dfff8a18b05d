from support.oracle import of_devices, stamp


def expected(folder):
    """The last in event order: of each device's packets of seven seconds; and of all whose values are alike modulo 3."""
    periods, once = {}, {}
    for device, ms, number, x in sorted(of_devices(), key=lambda packet: packet[1:]):
        periods[ms // 7000, device] = {"id": number, "g": device, "ts": stamp(ms), "x": x}
        once[x % 3] = {"id": number, "ts": stamp(ms)}
    return {"each_period": list(periods.values()), "once": list(once.values())}
