"""Each device begins anew after four packets."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of forty packets."""
    rows = []
    for k in range(40):
        before = k // 3
        rows.append({"id": k, "ts": times(k), "device": f"d{k % 3}", "n": before % 4 + 1,
                     "first": k - 3 * (before % 4)})
    return {"rows": rows}
