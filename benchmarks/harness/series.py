"""Counts that grow over time, known at some moments: their rate over windows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

Moments = Sequence[Sequence[float]]
"""``[[seconds, count], …]``, seconds rising."""


def at(moments: Moments, seconds: float) -> float:
    """The count at a time, in a straight line between the moments around it; at the ends, theirs.

    :raise ValueError: there is no moment
    """
    if not moments:
        raise ValueError("no moment is known")
    after = bisect_right(moments, seconds, key=lambda moment: moment[0])
    if after == 0 or after == len(moments):
        return moments[min(after, len(moments) - 1)][1]
    (t0, n0), (t1, n1) = moments[after - 1], moments[after]
    return n0 + (n1 - n0) * (seconds - t0) / (t1 - t0)


def rate(moments: Moments, begin: float, end: float) -> float:
    """Per second, between two times."""
    return (at(moments, end) - at(moments, begin)) / (end - begin)


def rates(moments: Moments, window_s: float, step_s: float) -> list[tuple[float, float]]:
    """``(middle of the window, rate)`` of windows that follow one another at that step."""
    found = []
    begin = moments[0][0] if moments else 0.0
    while moments and begin + window_s <= moments[-1][0]:
        found.append((begin + window_s / 2, rate(moments, begin, begin + window_s)))
        begin += step_s
    return found
