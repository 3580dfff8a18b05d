"""Three rows more for each packet."""


def expected(folder):
    """Of forty packets."""
    return {"rows": [{"id": n, "k": k, "next": k + 1} for n in range(40) for k in range(3 * n)]}
