from datetime import UTC, datetime, timedelta


def expected(folder):
    """Both streams sorted by time, kind and number."""
    packets = sorted((k * step + k * 7919 % 900, kind, k) for kind, step in (("fast", 100), ("slow", 350)) for k in range(120))
    begin = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=1_700_000_000_000)
    return {"rows": [{"n": n, "ts": begin + timedelta(milliseconds=ms), "kind": kind, "id": k}
                     for n, (ms, kind, k) in enumerate(packets, 1)]}
