"""Twice the number, and half of that."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "twice": float(k), "half": k / 2} for k in range(10)]}
