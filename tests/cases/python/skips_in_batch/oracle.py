"""All but the one that is refused."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "x": float(k)} for k in range(10) if k != 3]}
