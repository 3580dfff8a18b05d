from support.oracle import START_MS, stamp


def expected(folder):
    """Both streams sorted by time, kind and number."""
    packets = sorted((k * step + k * 7919 % 900, kind, k) for kind, step in (("fast", 100), ("slow", 350)) for k in range(120))
    return {"rows": [{"n": n, "ts": stamp(START_MS + ms), "kind": kind, "id": k}
                     for n, (ms, kind, k) in enumerate(packets, 1)]}
