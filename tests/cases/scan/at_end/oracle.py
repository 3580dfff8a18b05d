from support.oracle import moment_ms

GAP_MS = 2200


def packets():
    """The generator's rows, by their formulas, in event order."""
    rows = [{"id": k, "ms": moment_ms(k), "device": k * 31 % 7, "value": f"v{k * 7919 % 101}"} for k in range(400)]
    return sorted(rows, key=lambda p: (p["ms"], p["id"]))


def expected(folder):
    """A session's row when the next begins, and of each device's last session at the end."""
    open_sessions, values = {}, {}
    rows = []
    for p in packets():
        session = open_sessions.get(p["device"], {"device": p["device"], "first": p["id"], "seen": p["ms"], "n": 0})
        if p["ms"] - session["seen"] > GAP_MS:
            rows.append(session | {"following": 1, "value": p["value"]})
            session = session | {"first": p["id"], "n": 0}
        open_sessions[p["device"]] = session | {"seen": p["ms"], "n": session["n"] + 1}
        values[p["device"]] = p["value"]
    rows += [s | {"following": s["n"], "value": values[device]} for device, s in open_sessions.items()]
    p = packets()[-1]
    last = {"id": p["id"], "device": p["device"], "value": p["value"], "n": 400, "same": 400, "ms": p["ms"]}
    counts = [
        {"device": d, "sessions": sum(r["device"] == d for r in rows), "packets": sum(r["n"] for r in rows if r["device"] == d)}
        for d in range(7)
    ]
    return {"rows": rows, "last": [last], "counts": counts}
