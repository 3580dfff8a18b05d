from datetime import timedelta

from support.oracle import events, grouped


def expected(folder):
    """Gaps of each group, and its end."""
    rows, returned, within = [], [], timedelta(seconds=2)
    for group in grouped(events(), lambda p: p["g"]).values():
        for p, q in zip(group, [*group[1:], None], strict=True):
            if q is None or q["ts"] - p["ts"] > within:
                rows.append({"ts": p["ts"] + within, "g": p["g"], "last": p["id"], "since": p["ts"]})
                returned += [q] if q else []
    return {"rows": rows, "returned": returned}
