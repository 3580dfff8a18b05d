"""What Python gets and gives back."""

import math


def expected(folder):
    """Of six packets."""
    rows = []
    for k in range(6):
        x = [None, math.nan, 1.5][k % 3]
        rows.append({"n": k if k % 2 else None, "nan": None if x is None else math.isnan(x), "x": x,
                     "xs": None if k == 4 else [None, k]})
    return {"rows": rows}
