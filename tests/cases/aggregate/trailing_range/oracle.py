from support.oracle import readings, stamp


def expected(folder):
    """Each packet asks every other."""
    ps = readings()
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
