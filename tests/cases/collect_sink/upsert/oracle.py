def packets():
    """The generator's rows, by their formulas."""
    for k in range(300):
        yield {"id": k, "g": None if k * 31 % 7 == 3 else k * 31 % 7, "v": f"v{k * 7919 % 101}"}


def newest(key):
    """The last packet of each key."""
    return list({key(packet): packet for packet in packets()}.values())


def expected(folder):
    """By a column, by two expressions, and by none that differs."""
    return {
        "rows": newest(lambda p: p["g"]),
        "by_expression": newest(lambda p: (p["v"][:2], p["id"] % 2)),
        "one": newest(lambda p: 1),
    }
