"""A fraction, a text and a number that is too large are no INT."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "n": 7 if k % 5 == 2 else None}
                     for k in range(10) if k % 5 in (2, 4)]}
