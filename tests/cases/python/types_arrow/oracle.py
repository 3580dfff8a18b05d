"""The values that the source makes."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from struct import pack, unpack


def expected(folder):
    """Of four packets."""
    begin = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_001)
    rows = []
    for k in range(4):
        third = unpack("f", pack("f", unpack("f", pack("f", k))[0] / 3))[0]
        rows.append({"i8": k, "i16": k, "i32": k, "f32": third, "dec": Decimal(k) * Decimal("1.250"),
                     "ts": begin + timedelta(hours=k), "ntz": (begin + timedelta(microseconds=k)).replace(tzinfo=None),
                     "day": date(2024, 2, 28) + timedelta(days=k), "bin": f"b{k}".encode(), "even": k % 2 == 0,
                     "st": {"a": k, "b": ["x", str(k)]}, "m": [("k", k)],
                     "span": timedelta(days=k, seconds=3723, milliseconds=500), "holes": [[("k", None)], None]})
    return {"rows": rows}
