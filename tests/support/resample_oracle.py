"""The generated packets of the cases of ``resample`` whose groups end, and the points of these groups, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

Packet = tuple[int, int, int]
"""Milliseconds, number, ``x``."""
Group = int | None
EVERY_MS = 500


def stamp(ms: int) -> datetime:
    """Milliseconds since 1970 as a datetime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def _ms(k: int) -> int:
    return 1_700_000_000_000 + k * 250 + k * 7919 % 900 + k // 50 * 7000


def groups(count: int = 400) -> dict[Group, list[Packet]]:
    """The packets of each ``g`` in event order, by the generator's formulas."""
    found: dict[Group, list[Packet]] = {}
    for k in range(count):
        found.setdefault(None if k * 31 % 7 == 3 else k * 31 % 7, []).append((_ms(k), k, k * 7919 % 101 - 50))
    return {g: sorted(packets) for g, packets in found.items()}


def devices() -> dict[Group, list[Packet]]:
    """The same of each device, whose clocks are hours apart."""
    found: dict[Group, list[Packet]] = {}
    for k in range(400):
        device = k * 31 % 5
        found.setdefault(device, []).append((_ms(k) - device * 3_600_000, k, k * 7919 % 101 - 50))
    return {device: sorted(packets) for device, packets in found.items()}


def points(found: Mapping[Group, list[Packet]], ends_ms: int, offset_ms: int = 0) -> Iterator[
        tuple[Group, int, Packet, Packet | None]]:
    """Each point so long after its group's last packet: g, milliseconds, that packet, and the next one if it is in time."""
    for g, packets in found.items():
        first = packets[0][0] + (offset_ms - packets[0][0]) % EVERY_MS
        for ms in range(first, packets[-1][0] + ends_ms + 1, EVERY_MS):
            last = max(packet for packet in packets if packet[0] <= ms)
            if ms - last[0] <= ends_ms:
                after = [packet for packet in packets if packet[0] > ms and packet[0] - last[0] <= ends_ms]
                yield g, ms, last, last if last[0] == ms else after[0] if after else None


def windows(values: Iterable[tuple[Group, int, int | None]]) -> list[dict[str, Any]]:
    """The rows of each three seconds of a group's points, by their milliseconds, each with its value."""
    found: dict[tuple[int, Group], list[int | None]] = {}
    for g, ms, x in values:
        found.setdefault((ms // 3000, g), []).append(x)
    rows = []
    for (window, g), xs in found.items():
        known = [x for x in xs if x is not None]
        at = stamp(window * 3000 + 3000) - timedelta(microseconds=1)
        rows.append({"window_time": at, "g": g, "n": len(xs), "known": len(known), "total": sum(known) if known else None})
    return rows
