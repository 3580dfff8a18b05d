"""Roots."""

from math import sqrt


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "v": sqrt(k / 2)} for k in range(10)]}
