import math

from support.oracle import grouped, moment_ms, stamp


def groups():
    """The generator's rows by group, in event order, by their formulas."""
    values = {k: k * 2 / 5 - (30 if k % 11 == 0 else 0) for k in sorted(range(400), key=lambda k: (moment_ms(k), k))}
    rows = [{"id": k, "ms": moment_ms(k), "x": math.floor(x)} for k, x in values.items() if x != 8]
    return grouped(rows, lambda p: p["id"] * 31 % 5)


def windows(packets):
    """Those that a packet ended, with it, and those still open, with the last packet that they took."""
    opened, ended, greatest, last = {}, [], -math.inf, None
    for packet in packets:
        greatest = max(greatest, packet["x"])
        ended += [(least, opened.pop(least), packet) for least in sorted(opened) if least + 40 <= greatest]
        for least in range(packet["x"] // 25 * 25, packet["x"] - 40, -25):
            if least + 40 > greatest:
                opened.setdefault(least, []).append(packet)
                last = packet
    return ended, [(least, held, last) for least, held in opened.items()]


def row(g, least, held, end):
    return {"least": least, "most": least + 40, "start": stamp(held[0]["ms"]), "ts": stamp(end["ms"]), "g": g, "n": len(held),
            "first": held[0]["id"], "last": held[-1]["id"]}


def expected(folder):
    return {"rows": [row(g, *window) for g, packets in groups().items() for part in windows(packets) for window in part]}


def at_the_end(folder):
    """The windows that no packet has ended."""
    return {"rows": [row(g, *window) for g, packets in groups().items() for window in windows(packets)[1]]}
