from support.oracle import alone, side, stamp


def expected(folder):
    """Every pair is looked at."""
    lefts, rights = side(7919, 150), side(104_729, 120)
    pairs = [(a, b) for a in lefts for b in rights
             if a["key"] == b["key"] and a["v"] < b["v"] and -1500 <= b["ms"] - a["ms"] <= 800]
    _, right_alone = alone(lefts, rights, pairs)
    matched = [{"l": a["id"], "left_key": a["key"], "r": b["id"], "v": b["v"], "ts": stamp(a["ms"])} for a, b in pairs]
    return {"rows": matched + [{"l": None, "left_key": None, "r": b["id"], "v": b["v"], "ts": stamp(b["ms"])}
                               for b in right_alone]}
