"""The packet before it of the same key."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of thirty packets."""
    return {"rows": [{"id": k, "ts": times(k), "g": k % 4 or None,
                      "was": f"{k % 4 or None} after {k - 4 if k >= 4 else None}"} for k in range(30)]}
