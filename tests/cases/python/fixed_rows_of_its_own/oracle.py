"""Those above two degrees."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"id": k} for k in range(10) if k / 2 > 2]}
