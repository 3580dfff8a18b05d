import datetime
from decimal import Decimal

EXPECTED = (0, Decimal("1.50"), datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC), datetime.date(2026, 1, 2), None, [1, None],
            {"a": 1}, b"ab")


def write(id, price, ts, day, none, list, pair, bytes):
    found = (id, price, ts, day, none, list, pair, bytes)
    if found != EXPECTED:
        raise ValueError(found)
