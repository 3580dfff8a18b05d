from support.oracle import events, grouped


def expected(folder):
    """Knows the direction of the last move."""
    rows = []
    for group in grouped(events(), lambda p: p["g"]).values():
        previous, direction = None, 0
        for p in group:
            value = p["x"] / 2
            if previous is None:
                rows.append({"id": p["id"], "g": p["g"], "previous": None})
                previous = value
                continue
            back = direction != 0 and (value > previous) != (direction > 0)
            if value != previous and abs(value - previous) > (20 if back else 3):
                rows.append({"id": p["id"], "g": p["g"], "previous": previous})
                direction = 1 if value > previous else -1
                previous = value
    return {"rows": rows}
