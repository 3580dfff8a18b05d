from support.oracle import side, stamp, starts


def ends(packet):
    """Of its windows, in milliseconds."""
    return [start + 4000 for start in starts(packet["ms"], 4000, 1500)]


def expected(folder):
    """Every window of every left packet is looked at."""
    rights = side(104_729, 80)
    rows = []
    for a in side(7919, 90):
        for end in ends(a):
            found = [(b["id"], f'{{"id":{b["id"]},"key":{b["key"]}}}') for b in rights
                     if end in ends(b) and abs(a["v"] - b["v"]) < 4]
            rows += [{"id": a["id"], "ts": stamp(a["ms"]), "key": a["key"], "v": a["v"], "r": r, "end": stamp(end),
                      "other": other} for r, other in found or [(None, "{}")]]
    return {"rows": rows}
