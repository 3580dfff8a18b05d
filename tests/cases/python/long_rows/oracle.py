"""A megabyte, and the number behind it."""


def expected(folder):
    """Of five packets."""
    return {"rows": [{"id": k, "n": 1_000_001, "last": str(k)} for k in range(5)]}
