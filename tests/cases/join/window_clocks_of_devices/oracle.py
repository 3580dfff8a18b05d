from collections import defaultdict

from support.oracle import faults, measured, stamp, starts


def windowed(packets, size, slide):
    """Packets by window's start and device: once in each window that they are in."""
    found = defaultdict(list)
    for packet in packets:
        for start in starts(packet[2], size, slide):
            found[start, packet[1]].append(packet)
    return found


def join(size, slide, match):
    """The pairs of each window, and its packets without a match, of the left and of the right, as (start, left, right)."""
    lefts, rights = windowed(measured(), size, slide), windowed(faults(), size, slide)
    pairs, left_alone, right_alone = [], [], []
    for key in lefts.keys() | rights.keys():
        ours, theirs = lefts.get(key, []), rights.get(key, [])
        pairs += [(key[0], left, right) for left in ours for right in theirs if match(left, right)]
        left_alone += [(key[0], left, None) for left in ours if not any(match(left, right) for right in theirs)]
        right_alone += [(key[0], None, right) for right in theirs if not any(match(left, right) for left in ours)]
    return pairs, left_alone, right_alone


def row(start, left, right, end=None):
    """A row of an outer join; with the window's time if its end is given."""
    found = {"start": stamp(start), "g": (left or right)[1], "id": left and left[0], "fault": right and right[0]}
    return found if end is None else {**found, "at": stamp(end, -1)}


def expected(folder):
    """Compares what each window has of each device."""
    inner, _, _ = join(4000, 2500, lambda left, right: True)
    of_left, alone, _ = join(3000, 3000, lambda left, right: left[0] % 3 == right[3] % 3)
    of_right, _, right_alone = join(4000, 2500, lambda left, right: left[3] > right[3])
    both, lefts, rights = join(3000, 3000, lambda left, right: True)
    counts = defaultdict(list)
    for start, left, right in inner:
        counts[left[1], (start + 3999) // 10_000 * 10_000].append(left[3] + right[3])
    return {
        "all_inner": [{"g": left[1], "id": left[0], "fault": right[0], "y": left[3] + right[3],
                       "at": stamp(start + 4000, -1)} for start, left, right in inner],
        "all_left": [row(*found) for found in of_left + alone],
        "all_right": [row(*found, found[0] + 4000) for found in of_right + right_alone],
        "all_full": [row(*found) for found in both + lefts + rights],
        "all_counts": [{"g": g, "start": stamp(start), "n": len(ys), "total": sum(ys)} for (g, start), ys in counts.items()],
    }
