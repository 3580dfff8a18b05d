import math


def expected(folder):
    """Worked out by hand."""
    least, most = -(2**63), 2**63 - 1
    numbers = [(0, least, None), (1, most, least), (3, 0, most), (6, 3, 0)]
    doubles = [(0, 0.0, None), (2, math.nan, 0.0), (4, math.inf, math.nan), (6, 1.0, math.inf)]
    return {
        "numbers": [{"id": k, "n": n, "previous": before} for k, n, before in numbers],
        "doubles": [{"id": k, "d": d, "previous": before} for k, d, before in doubles],
    }
