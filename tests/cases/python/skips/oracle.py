"""All but the one that divides by zero."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "x": 10 / (k - 3)} for k in range(10) if k != 3]}
