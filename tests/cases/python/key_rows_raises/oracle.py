"""As if those had not come which raise."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of forty packets."""
    rows = []
    for k in range(40):
        mine = [j for j in range(k + 1) if j % 3 == k % 3 and j % 5 != 3]
        if k % 5 != 3:
            rows.append({"id": k, "ts": times(k), "device": f"d{k % 3}", "n": len(mine), "ids": mine})
    return {"rows": rows}
