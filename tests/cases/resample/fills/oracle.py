from support.oracle import events, grouped, stamp


def expected(folder):
    """Every point asks every packet of its group."""
    packets = [p | {"ms": round(p["ts"].timestamp() * 1000)} for p in events()]
    found = grouped(packets, lambda p: (p["g"], p["x"] > 0))
    rows = []
    for (g, above), group in found.items():
        for ms in range(group[0]["ms"], group[-1]["ms"] + 1):
            if ms % 500 != 100:
                continue
            p = [p for p in group if p["ms"] <= ms][-1]
            q = p if p["ms"] == ms else next(q for q in group if q["ms"] > ms)
            age, gap = ms - p["ms"], q["ms"] - p["ms"]
            line = float(p["x"]) if gap == 0 else p["x"] + (q["x"] - p["x"]) * (age / gap)
            rows.append(
                {
                    "ts": stamp(ms),
                    "g": g,
                    "above": above,
                    "id": p["id"] if age <= 3000 else None,
                    "x": line if gap <= 3000 else None,
                    "exactly": age == 0,
                    "y": p["x"] * 0.5 if age == 0 else None,
                    "between": q["id"] - p["id"],
                }
            )
    return {"rows": rows}
