from datetime import date
from decimal import Decimal

DAY = date(2020, 2, 29)
ROWS = [
    (0, ["a", None], Decimal("1.50"), DAY),
    (0, None, None, None),
    (4, [], Decimal("-7.25"), None),
    (5, None, Decimal("0.00"), DAY),
    (5, None, Decimal("9.99"), None),
]


def expected(folder):
    """Each number with the table's rows of its remainder; those of the second file have no tags."""
    found = []
    for k in range(300):
        rows = [row for row in ROWS if row[0] == k % 9] or [(None,) * 4]
        found += [
            {"id": k, "next": None if n is None else n + 1, "tags": tags, "price": price, "y": y} for n, tags, price, y in rows
        ]
    return {"rows": found}
