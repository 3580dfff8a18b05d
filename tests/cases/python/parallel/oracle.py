"""Squares."""


def expected(folder):
    """Of two hundred packets, in any order."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "sq": k * k} for k in range(200)]}
