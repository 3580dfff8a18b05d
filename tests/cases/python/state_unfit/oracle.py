"""As if those had not come which do not fit."""

from datetime import UTC, datetime, timedelta


def times(k):
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=1_700_000_000_000_000 + k * 1_000_000)


def expected(folder):
    """Of forty packets."""
    counts = dict.fromkeys(range(3), 0)
    rows = []
    for k in range(40):
        after = counts[k % 3] + 1 + (2**31 - 5 if k % 7 == 3 else 0)
        if k % 5 != 3 and k % 8 and after < 2**31:
            counts[k % 3] = after
            rows.append({"id": k, "n": after})
    return {"rows": rows}
