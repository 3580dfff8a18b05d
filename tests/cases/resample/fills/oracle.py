from datetime import UTC, datetime, timedelta


def packets():
    """The generator's rows, by their formulas, in order of (ts, id)."""
    rows = []
    for k in range(400):
        ms = 1_700_000_000_000 + k * 250 + k * 7919 % 900
        g = None if k * 31 % 7 == 3 else k * 31 % 7
        ts = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
        rows.append({"id": k, "ts": ts, "g": g, "x": k * 7919 % 101 - 50})
    return sorted(rows, key=lambda p: (p["ts"], p["id"]))


def groups():
    """The packets of each g."""
    found = {}
    for p in packets():
        found.setdefault(p["g"], []).append(p)
    return found.values()


def stamp(ms):
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def expected(folder):
    """Every point asks every packet of its group."""
    found = {}
    for p in packets():
        found.setdefault((p["g"], p["x"] > 0), []).append(p | {"ms": round(p["ts"].timestamp() * 1000)})
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
