from collections import defaultdict

from support.oracle import faults, measured, stamp


def pairs(least, most, also):
    """All pairs of a device whose times are so far apart, for which the rest holds too."""
    return [(left, right) for left in measured() for right in faults()
            if left[1] == right[1] and least <= right[2] - left[2] <= most and also(left, right)]


def expected(folder):
    """Compares each reading with each fault."""
    near, counts = [], defaultdict(list)
    for left, right in pairs(-1500, 700, lambda left, right: True):
        ms = max(left[2], right[2])
        near.append({"g": left[1], "id": left[0], "fault": right[0], "ts": stamp(ms), "x": left[3], "code": right[3]})
        counts[left[1], ms // 10_000 * 10_000].append(left[3] + right[3])
    after = pairs(100, 5000, lambda left, right: left[0] % 3 == right[3] < left[3])
    both = pairs(-300, -100, lambda left, right: True)
    return {
        "all_near": near,
        "all_counts": [{"g": g, "start": stamp(start), "n": len(sums), "total": sum(sums)}
                       for (g, start), sums in counts.items()],
        "all_after": [{"g": left[1], "id": left[0], "fault": right[0]} for left, right in after]
        + [{"g": left[1], "id": left[0], "fault": None} for left in measured() if left not in [pair[0] for pair in after]],
        "all_all": [{"g": left[1], "id": left[0], "fault": right[0]} for left, right in both]
        + [{"g": left[1], "id": left[0], "fault": None} for left in measured() if left not in [pair[0] for pair in both]]
        + [{"g": right[1], "id": None, "fault": right[0]} for right in faults() if right not in [pair[1] for pair in both]],
    }
