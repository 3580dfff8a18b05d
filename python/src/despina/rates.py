"""Rates from counters: the difference of two statuses over the difference of their times, over the last second or so."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from despina.job import Status

OVER_S = 1.0


@dataclass(frozen=True)
class OperatorRate:
    """One operator's packets per second and its counters.

    :ivar busy: which share of the time its busiest task runs, 0 to 1
    :ivar paused: for which share of it a task of it waits for room in a link, at most
    """

    id: str
    in_per_s: float
    out_per_s: float
    counters: Mapping[str, Any]
    busy: float = 0.0
    paused: float = 0.0

    @property
    def busiest_per_s(self) -> float:
        """What it takes in, or for a source what it gives out."""
        return max(self.in_per_s, self.out_per_s)


@dataclass(frozen=True)
class LinkRate:
    """One link's packets and bytes per second, and how full its fullest queue is, 0 to 1."""

    id: str
    packets_per_s: float
    bytes_per_s: float
    fill: float
    paused: bool


class Rates:
    """Remembers as many statuses as make up a second."""

    def __init__(self) -> None:
        self._seen: deque[Status] = deque()

    def add(self, status: Status) -> None:
        """Adds a newer status; one of the same time replaces the last."""
        if self._seen and status.elapsed_s <= self._seen[-1].elapsed_s:
            self._seen.pop()
        self._seen.append(status)
        while len(self._seen) > 2 and status.elapsed_s - self._seen[1].elapsed_s >= OVER_S:
            self._seen.popleft()

    def operators(self) -> list[OperatorRate]:
        """A line per operator, in the graph's order."""
        if not self._seen:
            return []
        return [OperatorRate(name, self._per_s("operators", name, "packets_in"),
                             self._per_s("operators", name, "packets_out"), counters,
                             self._share(name, "busy_ms"), self._share(name, "paused_ms"))
                for name, counters in self._seen[-1].operators.items()]

    def links(self) -> list[LinkRate]:
        """A line per link, in the graph's order."""
        if not self._seen:
            return []
        return [LinkRate(name, self._per_s("links", name, "packets"), self._per_s("links", name, "bytes"),
                         counters.get("fill", 0.0), bool(counters.get("paused")))
                for name, counters in self._seen[-1].links.items()]

    def _share(self, operator: str, counter: str) -> float:
        first, last = self._seen[0], self._seen[-1]
        return most_share(first.operators.get(operator, {}).get(counter), last.operators[operator].get(counter),
                          last.elapsed_s - first.elapsed_s) or 0.0

    def _per_s(self, kind: str, name: str, counter: str) -> float:
        first, last = self._seen[0], self._seen[-1]
        seconds = last.elapsed_s - first.elapsed_s
        if seconds <= 0:
            return 0.0

        def value(status: Status) -> float:
            counters: Mapping[str, Any] = getattr(status, kind).get(name, {})
            return float(counters.get(counter, 0))

        return max(0.0, value(last) - value(first)) / seconds


def most_share(before: Sequence[float] | None, now: Sequence[float] | None, seconds: float) -> float | None:
    """The share of the time that has gone to something, of that task for which it is most.

    :param before: milliseconds of each task
    :return: 0 to 1; None where it is not known, as when tasks have begun between
    """
    if not before or not now or len(before) != len(now) or seconds <= 0:
        return None
    return min(1.0, max(0.0, max(late - early for early, late in zip(before, now, strict=True)) / 1000 / seconds))


def rate(per_s: float) -> str:
    """A rate in three digits: ``950/s``, ``12.3 k/s``, ``1.50 M/s``."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if per_s >= 0.9995 * size:
            value = per_s / size
            return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {unit}/s"
    return f"{per_s:.0f}/s"
