"""The number of each packet in its group of device and parity."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of fifty packets."""
    return {"rows": [{"id": k, "ts": times(k), "device": f"d{k % 3}", "what": f"d{k % 3} {k % 2} {k // 6 + 1} int"}
                     for k in range(50)]}
