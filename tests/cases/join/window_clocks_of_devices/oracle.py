from collections import defaultdict
from datetime import UTC, datetime, timedelta

START = 1_700_000_000_000


def stamp(ms):
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def readings():
    """The rows of the left source: id, device, time, x."""
    return [(k, k % 5, START + k * 250 + k * 7919 % 900 - k % 5 * 3_600_000, k * 7919 % 101 - 50) for k in range(300)]


def faults():
    """The rows of the right source: id, device, time, code."""
    return [(k, 1 + k * 17 % 6, START + k * 900 + k * 37 % 2000 - (1 + k * 17 % 6) * 3_600_000, k * 53 % 7) for k in range(90)]


def windowed(packets, size, slide):
    """Packets by window's start and device: once in each window that they are in."""
    found = defaultdict(list)
    for packet in packets:
        start = packet[2] // slide * slide
        while start + size > packet[2]:
            found[start, packet[1]].append(packet)
            start -= slide
    return found


def join(size, slide, match):
    """The pairs of each window, and its packets without a match, of the left and of the right, as (start, left, right)."""
    lefts, rights = windowed(readings(), size, slide), windowed(faults(), size, slide)
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
    return found if end is None else {**found, "at": stamp(end) - timedelta(microseconds=1)}


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
                       "at": stamp(start + 4000) - timedelta(microseconds=1)} for start, left, right in inner],
        "all_left": [row(*found) for found in of_left + alone],
        "all_right": [row(*found, found[0] + 4000) for found in of_right + right_alone],
        "all_full": [row(*found) for found in both + lefts + rights],
        "all_counts": [{"g": g, "start": stamp(start), "n": len(ys), "total": sum(ys)} for (g, start), ys in counts.items()],
    }
