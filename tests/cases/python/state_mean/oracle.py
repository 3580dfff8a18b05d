"""Of all that has come of a device."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of forty packets."""
    rows = []
    for k in range(40):
        mine = [j / 4 for j in range(k + 1) if j % 3 == k % 3]
        rows.append({"id": k, "ts": times(k), "device": f"d{k % 3}", "celsius": k / 4, "n": len(mine),
                     "mean": sum(mine) / len(mine)})
    return {"rows": rows}
