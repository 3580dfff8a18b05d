"""Two weights."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "v": 2.0 * k} for k in range(10)]}
