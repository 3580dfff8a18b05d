from support.oracle import devices, moment_ms, stamp


def expected(folder):
    """Of each packet, those of its half from three seconds before it, and of its time; and the last three of its device."""
    each, three, minutes = [], [], {}
    for device, packets in devices(lambda k: moment_ms(k) // 500 * 500).items():
        for at, (ms, number, _) in enumerate(packets):
            within = [x for other, k, x in packets if ms - 3000 <= other <= ms and k % 2 == number % 2]
            each.append({"id": number, "ts": stamp(ms), "device": device, "half": number % 2, "n": len(within),
                         "total": sum(within)})
            three.append({"id": number, "g": device, "least": min(x for _, _, x in packets[max(0, at - 2):at + 1])})
            minute = ms // 60_000 * 60_000
            minutes[device, minute] = minutes.get((device, minute), 0) + len(within)
    return {"each": each, "each_three": three, "each_minute": [
        {"finish": stamp(minute + 60_000), "device": device, "n": n} for (device, minute), n in minutes.items()]}
