import math
from datetime import UTC, datetime, timedelta


def groups():
    """The generator's rows by group, in event order, by their formulas."""
    rows = {}
    for k in range(400):
        x = k * 2 / 5 - (30 if k % 11 == 0 else 0)
        if x != 8:
            ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
            rows.setdefault(k * 31 % 5, []).append({"id": k, "ms": ms, "x": math.floor(x)})
    return {g: sorted(packets, key=lambda p: (p["ms"], p["id"])) for g, packets in rows.items()}


def stamp(ms):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


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
