"""Ten thousand rows of the fifth packet."""


def expected(folder):
    """Of ten packets."""
    return {"rows": [{"n": 10_000, "total": sum(range(10_000))}]}
