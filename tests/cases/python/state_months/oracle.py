"""Sums of months, of even and of odd numbers."""


def expected(folder):
    """Of twelve packets."""
    return {"rows": [{"id": k, "months": sum(12 * j + 3 for j in range(k % 2, k + 1, 2))} for k in range(12)]}
