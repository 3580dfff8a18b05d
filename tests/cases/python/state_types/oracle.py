"""What the packets before of the same key have left, in the words of Python."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def state(mine):
    """Behind these packets of one key."""
    last = mine[-1]
    words = [f"ä{k}" for k in mine]
    return (words[-1], words, {"a": sum(mine), "b": [float(k) for k in mine]}, dict(zip(words, mine, strict=True)),
            sum(Decimal(k) * Decimal("1.250") for k in mine), times(last), date(2026, 1, 1) + timedelta(last), last % 2 == 0,
            last + 0.5, words[-1].encode())


def expected(folder):
    """Of thirty packets."""
    rows = []
    for k in range(30):
        before = list(range(k % 4, k, 4))
        said = repr(state(before) if before else (None,) * 10).replace("datetime.timezone.utc", "zone")
        rows.append({"id": k, "said": said.replace("zone", "datetime.timezone.utc")})
    return {"rows": rows}
