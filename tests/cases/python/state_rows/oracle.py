"""The rows of each group are numbered, with a step of ten behind each packet."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of sixty packets."""
    seen = dict.fromkeys(range(5), 0)
    rows = []
    for k in range(60):
        for _ in range(k % 4):
            seen[k % 5] += 1
            rows.append({"ts": times(k), "id": k, "seen": seen[k % 5]})
        seen[k % 5] += 10
    return {"rows": rows}
