"""The generated packets of the cases of ``resample`` whose groups end, and the points of these groups, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from support.oracle import Packet, moment_ms, stamp
from support.oracle import devices as devices_by

Group = int | None
EVERY_MS = 500


def _ms(k: int) -> int:
    return moment_ms(k) + k // 50 * 7000


def groups(count: int = 400) -> dict[Group, list[Packet]]:
    """The packets of each ``g`` in event order, by the generator's formulas."""
    found: dict[Group, list[Packet]] = {}
    for k in range(count):
        found.setdefault(None if k * 31 % 7 == 3 else k * 31 % 7, []).append((_ms(k), k, k * 7919 % 101 - 50))
    return {g: sorted(packets) for g, packets in found.items()}


def devices() -> dict[int, list[Packet]]:
    """The same of each device, whose clocks are hours apart."""
    return devices_by(_ms)


def points(found: Mapping[Any, list[Packet]], ends_ms: int, offset_ms: int = 0) -> Iterator[
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
        rows.append({"window_time": stamp(window * 3000 + 3000, -1), "g": g, "n": len(xs), "known": len(known),
                     "total": sum(known) if known else None})
    return rows
