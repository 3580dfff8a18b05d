"""Which time it is, and when it was before."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of two thousand packets."""
    return {"rows": [{"id": k, "ts": times(k), "g": k % 1000, "n": k // 1000 + 1, "before": k - 1000 if k >= 1000 else None}
                     for k in range(2000)]}
