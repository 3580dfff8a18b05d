from support.oracle import events, grouped


def expected(folder):
    """A walk through each group."""
    rows = []
    for group in grouped(events(), lambda p: p["g"]).values():
        previous = None
        for p in group:
            value = None if p["x"] % 5 == 0 else f"s{int(p['x'] / 30)}"
            if value is not None and value != previous:
                rows.append(p | {"previous": previous})
                previous = value
    return {"rows": rows}
