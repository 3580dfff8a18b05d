from support.oracle import moment_ms, stamp, starts


def expected(folder):
    """Each window's packets together: all come within its time for late ones."""
    groups = {}
    for k in range(200):
        for start in starts(moment_ms(k), 4000, 1500):
            groups.setdefault((start, k * 31 % 5), []).append(k * 7919 % 101 - 50)
    return {"rows": [{"start": stamp(start), "last": True, "g": g, "n": len(values), "total": sum(values)}
                     for (start, g), values in groups.items()]}
