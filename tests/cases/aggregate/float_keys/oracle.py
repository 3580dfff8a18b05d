KEYS = [0.0, 0.0, "nan", "nan", 1.5, float("-inf")]


def expected(folder):
    """Counts per key, NaN by a name of its own."""
    seen = {}
    running = []
    for k in range(240):
        ids = seen.setdefault(KEYS[k % 6], [])
        ids.append(k)
        running.append({"id": k, "n": len(ids)})
    return {
        "total_rows": [{"k": float(key), "n": len(ids), "last": max(ids)} for key, ids in seen.items()],
        "running_rows": running,
        "folded_rows": [row for row in running if row["n"] % 8 == 0],
    }
