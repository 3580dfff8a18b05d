from support.oracle import readings, stamp


def expected(folder):
    """Each window asks every packet."""
    ps = readings()
    first, last = min(p["ms"] for p in ps), max(p["ms"] for p in ps)
    rows = []
    for start in range((first // 1500 - 3) * 1500, last + 1, 1500):
        inside = [p for p in ps if start <= p["ms"] < start + 4000]
        if inside:
            mean = sum(p["y"] for p in inside) / len(inside)
            square = sum((p["y"] - mean) ** 2 for p in inside)
            rows.append(
                {
                    "start": stamp(start),
                    "at": stamp(start + 4000, -1),
                    "n": len(inside),
                    "total": sum(p["x"] for p in inside),
                    "spread": (square / (len(inside) - 1)) ** 0.5 if len(inside) > 1 else None,
                }
            )
    return {"rows": rows}
