from support.oracle import texts


def expected(folder):
    """All packets, sorted once."""
    ordered = sorted(texts(), key=lambda p: (-p["x"], p["id"] % 7, p["id"]))
    return {"rows": [{"id": p["id"], "x": p["x"] * 4} for p in ordered]}
