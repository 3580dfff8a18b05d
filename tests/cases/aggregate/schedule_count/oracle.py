from collections import defaultdict

from support.oracle import START_MS, stamp


def expected(folder):
    """How many numbers of each group are in each two seconds, and the least."""
    groups = defaultdict(list)
    for k in range(300):
        ms = START_MS + k * 50
        groups[ms // 2000 * 2000, f"t{k % 3}"].append(k)
    return {"rows": [{"start": stamp(start), "t": t, "n": len(of), "first": of[0]}
                     for (start, t), of in groups.items()]}
