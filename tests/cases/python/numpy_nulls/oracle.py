"""Every third has no degrees."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": None if k % 3 == 0 else k / 2,
                      "fahrenheit": None if k % 3 == 0 else k / 2 * 9 / 5 + 32} for k in range(10)]}
