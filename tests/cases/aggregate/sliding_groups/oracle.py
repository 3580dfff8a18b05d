from support.oracle import readings, stamp


def expected(folder):
    """Each window asks every packet of each group."""
    ps = readings()
    first, last = min(p["ms"] for p in ps), max(p["ms"] for p in ps)
    rows = []
    for start in range((first // 1000 - 4) * 1000, last + 1, 1000):
        for g in range(5):
            inside = [p for p in ps if start <= p["ms"] < start + 4000 and p["g"] == g]
            if inside:
                mean = sum(p["y"] for p in inside) / len(inside)
                square = sum((p["y"] - mean) ** 2 for p in inside)
                xs = [p["x"] for p in inside]
                rows.append(
                    {
                        "start": stamp(start),
                        "g": g,
                        "n": len(inside),
                        "total": sum(xs),
                        "swing": max(xs) - min(xs),
                        "above": sum(x > 0 for x in xs),
                        "mean": mean,
                        "spread": (square / (len(inside) - 1)) ** 0.5 if len(inside) > 1 else None,
                    }
                )
    return {"rows": rows}
