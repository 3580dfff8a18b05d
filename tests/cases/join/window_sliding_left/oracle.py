from datetime import UTC, datetime, timedelta


def packets(seed, count):
    """A generator's rows, by their formulas."""
    return [{"id": k, "ms": 1_700_000_000_000 + k * 400 + k * seed % 900, "key": k * seed % 7, "v": k * seed % 53}
            for k in range(count)]


def ends(packet):
    """Of its windows, in milliseconds."""
    last = packet["ms"] // 1500 * 1500
    return [start + 4000 for start in range(last, packet["ms"] - 4000, -1500)]


def at(ms):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def expected(folder):
    """Every window of every left packet is looked at."""
    rights = packets(104_729, 80)
    rows = []
    for a in packets(7919, 90):
        for end in ends(a):
            found = [(b["id"], f'{{"id":{b["id"]},"key":{b["key"]}}}') for b in rights
                     if end in ends(b) and abs(a["v"] - b["v"]) < 4]
            rows += [{"id": a["id"], "ts": at(a["ms"]), "key": a["key"], "v": a["v"], "r": r, "end": at(end), "other": other}
                     for r, other in found or [(None, "{}")]]
    return {"rows": rows}
