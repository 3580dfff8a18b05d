from datetime import UTC, datetime, timedelta


def packets():
    """The generator's rows, by their formulas."""
    rows = []
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        x = k * 7919 % 101 - 50
        rows.append({"id": k, "ms": ms, "g": k * 31 % 5, "x": x, "y": k * 13 % 7 / 2})
    return rows


def stamp(ms):
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def expected(folder):
    """Each packet asks every other."""
    ps = packets()
    rows = []
    for p in ps:
        inside = [q for q in ps if q["g"] == p["g"] and p["ms"] - 5000 <= q["ms"] <= p["ms"]]
        mean = sum(q["x"] for q in inside) / len(inside)
        mean_y = sum(q["y"] for q in inside) / len(inside)
        spread = sum((q["y"] - mean_y) ** 2 for q in inside)
        together = sum((q["y"] - mean_y) * (q["x"] - mean) for q in inside)
        rows.append(
            {
                "id": p["id"],
                "ts": stamp(p["ms"]),
                "g": p["g"],
                "n": len(inside),
                "mean": mean,
                "least": min(q["x"] for q in inside),
                "above": p["x"] - mean,
                "oldest": min(inside, key=lambda q: (q["ms"], q["id"]))["id"],
                "slope": together / spread if spread else None,
            }
        )
    return {"rows": rows}
