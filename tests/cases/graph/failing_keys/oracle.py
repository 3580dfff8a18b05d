def expected(folder):
    """Every fifth packet has no key; the others are in three groups."""
    good = [k for k in range(60) if k % 5 != 4]
    groups = {}
    running = []
    for k in good:
        groups[k % 3] = groups.get(k % 3, 0) + 1
        running.append({"id": k, "n": groups[k % 3]})
    totals = [{"c": c, "n": n} for c, n in groups.items()]
    pairs = [{"id": k, "other": k} for k in good]
    return {
        "total_rows": totals,
        "window_rows": totals,
        "running_rows": running,
        "recent_rows": running,
        "folded_rows": running,
        "bad": [{"operator": "folded"}] * 12,
        "within_rows": pairs,
        "latest_rows": pairs,
    }
