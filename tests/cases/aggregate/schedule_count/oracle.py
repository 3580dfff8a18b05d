from collections import defaultdict
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def expected(folder):
    """How many numbers of each group are in each two seconds, and the least."""
    groups = defaultdict(list)
    for k in range(300):
        ms = 1_700_000_000_000 + k * 50
        groups[ms // 2000 * 2000, f"t{k % 3}"].append(k)
    return {"rows": [{"start": EPOCH + timedelta(milliseconds=start), "t": t, "n": len(of), "first": of[0]}
                     for (start, t), of in groups.items()]}
