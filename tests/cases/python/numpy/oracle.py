"""Between 1 and 3, and the number."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "v": min(max(k / 2, 1.0), 3.0) + k}
                     for k in range(10)]}
