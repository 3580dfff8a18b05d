"""The number less its half."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "d": k / 2} for k in range(10)]}
