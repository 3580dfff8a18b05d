"""The names of the options, again and again."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k, "celsius": k / 2, "device": f"d{k % 3}", "name": "abc"[k % 3]} for k in range(10)]}
