from support.oracle import alone, side, stamp


def start(packet):
    """Of its window, in milliseconds."""
    return (packet["ms"] - 500) // 3000 * 3000 + 500


def expected(folder):
    """Every pair is looked at."""
    lefts, rights = side(7919, 150), side(104_729, 120)
    pairs = [(a, b) for a in lefts for b in rights if start(a) == start(b) and a["key"] == b["key"] and a["v"] < b["v"]]
    left_alone, right_alone = alone(lefts, rights, pairs)
    rows = []
    for a, b in [*pairs, *((a, None) for a in left_alone), *((None, b) for b in right_alone)]:
        opened = start(a or b)
        rows.append({"start": stamp(opened), "window_time": stamp(opened + 3000, -1), "l": a and a["id"],
                     "left_key": a and a["key"], "r": b and b["id"], "v": b and b["v"]})
    return {"rows": rows}
