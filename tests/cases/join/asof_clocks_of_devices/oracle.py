from collections import defaultdict

from support.oracle import HOUR_MS, START_MS, devices, stamp


def limits():
    """The limits by device."""
    rows = defaultdict(list)
    for k in range(80):
        device = k * 17 % 6
        ms = START_MS + k * 1250 + k * 37 % 2000 - device * HOUR_MS
        rows[device].append((ms, k, k * 53 % 71))
    return rows


def compared(device, packets, settings):
    """Each reading with the greatest limit, by time and id, at or before it; and the runs of readings above."""
    rows, runs, n = [], [], 0
    for ms, k, x in packets:
        before = [setting for setting in settings if setting[:2] <= (ms, k)]
        _, of, most = max(before) if before else (None, None, None)
        above = None if most is None else x - most
        rows.append({"id": k, "g": device, "ts": stamp(ms), "x": x, "of": of, "above": above})
        n = n + 1 if above is not None and above > 0 else 0
        if n > 1:
            runs.append({"id": k, "g": device, "n": n})
    return rows, runs


def since(device, packets):
    """Each reading with the last one above 25 before it, at most 4 s, where both ids are even or both are odd; and windows."""
    rows, windows = [], defaultdict(list)
    for ms, k, _ in packets:
        before = [p for p in packets if p[2] > 25 and p[0] < ms and p[1] % 2 == k % 2]
        if before and ms - max(before)[0] <= 4000:
            high = max(before)[1]
            rows.append({"id": k, "device": device, "ts": stamp(ms), "high": high})
            windows[ms // 10_000 * 10_000].append(high)
    return rows, [{"device": device, "start": stamp(start), "n": len(highs), "high": max(highs)}
                  for start, highs in windows.items()]


def expected(folder):
    """Joins the packets of each device alone."""
    found = {"all_compared": [], "all_since": [], "all_runs": [], "all_counts": []}
    settings = limits()
    for device, packets in devices().items():
        rows, runs = compared(device, packets, settings[device])
        found["all_compared"] += rows
        found["all_runs"] += runs
        rows, counts = since(device, packets)
        found["all_since"] += rows
        found["all_counts"] += counts
    return found
