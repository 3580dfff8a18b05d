"""Twice half of a number is that."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "twice": float(k)} for k in range(10)]}
