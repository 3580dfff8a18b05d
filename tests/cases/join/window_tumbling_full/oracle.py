from datetime import UTC, datetime, timedelta


def packets(seed, count):
    """A generator's rows, by their formulas."""
    return [{"id": k, "ms": 1_700_000_000_000 + k * 400 + k * seed % 900, "key": k * seed % 7, "v": k * seed % 53}
            for k in range(count)]


def start(packet):
    """Of its window, in milliseconds."""
    return (packet["ms"] - 500) // 3000 * 3000 + 500


def expected(folder):
    """Every pair is looked at."""
    lefts, rights = packets(7919, 150), packets(104_729, 120)
    pairs = [(a, b) for a in lefts for b in rights if start(a) == start(b) and a["key"] == b["key"] and a["v"] < b["v"]]
    left_alone = [(a, None) for a in lefts if a["id"] not in {pair[0]["id"] for pair in pairs}]
    right_alone = [(None, b) for b in rights if b["id"] not in {pair[1]["id"] for pair in pairs}]
    rows = []
    for a, b in [*pairs, *left_alone, *right_alone]:
        opened = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=start(a or b))
        rows.append({"start": opened, "window_time": opened + timedelta(microseconds=2_999_999), "l": a and a["id"],
                     "left_key": a and a["key"], "r": b and b["id"], "v": b and b["v"]})
    return {"rows": rows}
