import datetime
from decimal import Decimal


def rows():
    ts = datetime.datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=datetime.UTC)
    yield 0, Decimal("1.50"), ts, datetime.date(2026, 1, 2), None, [1, None], {"a": 1}, b"ab"
