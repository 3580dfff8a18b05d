from support.oracle import timed_texts


def expected(folder):
    """The last of each group."""
    return {"rows": list({(p["t"], p["x"] > 1): p for p in timed_texts()}.values())}
