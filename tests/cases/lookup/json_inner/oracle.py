from support.oracle import texts

ROWS = [(0, 0.0, ["a", "b"]), (1, 0.25, None), (1, 0.25, ["c"]), (5, 2.5, []), (None, 0.5, ["d"])]


def expected(folder):
    """The packets whose number and x are in the table, with its tags."""
    return {"rows": [p | {"tags": tags} for p in texts() for n, half, tags in ROWS if n == p["id"] % 9 and half == p["x"]]}
