"""Degrees Celsius in Fahrenheit."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "f": k / 2 * 9 / 5 + 32} for k in range(10)]}
