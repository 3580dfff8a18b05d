"""Counts of five seconds each."""

from datetime import UTC, datetime, timedelta


def expected(folder):
    """Of twenty packets, one a second."""
    found = {}
    for k in range(20):
        at = 1_700_000_000 + k
        key = (at - at % 5, f"d{k % 2}")
        n, odds = found.get(key, (0, 0))
        found[key] = (n + 1, odds + k % 2)
    start = datetime(1970, 1, 1, tzinfo=UTC)
    return {"rows": [{"start": start + timedelta(seconds=at), "device": device, "n": n, "odds": odds}
                     for (at, device), (n, odds) in found.items()]}
