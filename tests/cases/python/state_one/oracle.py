"""Sums so far."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of thirty packets."""
    return {"rows": [{"id": k, "ts": times(k), "total": k * (k + 1) // 2} for k in range(30)]}
