"""Whether it is warmer than 2."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "hot": k > 4} for k in range(10)]}
