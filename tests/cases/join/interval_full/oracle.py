from support.oracle import alone, side, stamp


def expected(folder):
    """Every pair is looked at."""
    lefts, rights = side(7919, 150), side(104_729, 120)
    pairs = [(a, b) for a in lefts for b in rights
             if a["key"] == b["key"] and a["v"] < b["v"] and -1500 <= b["ms"] - a["ms"] <= 800]
    left_alone, right_alone = alone(lefts, rights, pairs)
    return {"rows": [{"l": a and a["id"], "left_key": a and a["key"], "r": b and b["id"], "v": b and b["v"],
                      "ts": stamp((a or b)["ms"])}
                     for a, b in [*pairs, *((a, None) for a in left_alone), *((None, b) for b in right_alone)]]}
