"""As many rows as the number has beyond a multiple of three."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"k": k, "id": n} for n in range(10) for k in range(n % 3)]}
