from datetime import UTC, datetime, timedelta


def expected(folder):
    """Each window's packets together: all come within its time for late ones."""
    groups = {}
    for k in range(200):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        for start in range(ms // 1500 * 1500, ms - 4000, -1500):
            groups.setdefault((start, k * 31 % 5), []).append(k * 7919 % 101 - 50)
    return {"rows": [{"start": datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=start), "last": True, "g": g,
                      "n": len(values), "total": sum(values)} for (start, g), values in groups.items()]}
