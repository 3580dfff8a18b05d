"""What oracles of cases share: the packets that the generators of many cases make, by the same formulas, and plain helpers.

Each oracle does its own arithmetic in its case's folder. Nothing here knows an operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

Row = dict[str, Any]
Packet = tuple[int, int, int]
"""Milliseconds, number, ``x``."""
Key = TypeVar("Key")
Item = TypeVar("Item")

START_MS = 1_700_000_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOUR_MS = 3_600_000


def stamp(ms: int, us: int = 0) -> datetime:
    """Milliseconds since 1970, and microseconds, as a datetime."""
    return EPOCH + timedelta(milliseconds=ms, microseconds=us)


def floor(time: datetime, size: timedelta, offset: timedelta = timedelta()) -> datetime:
    """The start of the period that holds a time; periods begin at multiples of their size, moved by an offset."""
    return EPOCH + (time - EPOCH - offset) // size * size + offset


def starts(ms: int, size_ms: int, slide_ms: int) -> range:
    """The starts of the windows that hold a time, the last one first."""
    return range(ms // slide_ms * slide_ms, ms - size_ms, -slide_ms)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Items by their key, in the order in which they come."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def moment_ms(k: int) -> int:
    """When packet k happened: four a second, up to 0.9 seconds out of order."""
    return START_MS + k * 250 + k * 7919 % 900


def readings() -> list[Row]:
    """400 packets of five groups in event order: ``id``, ``ms``, ``g``, ``x`` from -50 to 50, ``y`` from 0 to 3."""
    rows = [{"id": k, "ms": moment_ms(k), "g": k * 31 % 5, "x": k * 7919 % 101 - 50, "y": k * 13 % 7 / 2} for k in range(400)]
    return sorted(rows, key=lambda p: (p["ms"], p["id"]))


def events() -> list[Row]:
    """The same in six groups and one without a name, as rows with a time: ``id``, ``ts``, ``g``, ``x``."""
    rows = [{"id": k, "ts": stamp(moment_ms(k)), "g": None if k * 31 % 7 == 3 else k * 31 % 7, "x": k * 7919 % 101 - 50}
            for k in range(400)]
    return sorted(rows, key=lambda p: (p["ts"], p["id"]))


def texts() -> list[Row]:
    """300 packets by number: ``id``, ``ts``, which the first has not, ``t``, a text or NULL, ``x`` from 0 to 2.5."""
    return [{"id": k, "ts": None if k == 0 else stamp(START_MS + k * 50 + k * 7919 % 900),
             "t": None if k * 31 % 4 == 3 else f"t{k * 31 % 4}", "x": k * 7919 % 11 / 4} for k in range(300)]


def timed_texts() -> list[Row]:
    """Those of :func:`texts` with a time, in event order."""
    return sorted((p for p in texts() if p["ts"] is not None), key=lambda p: (p["ts"], p["id"]))


def devices(moment: Callable[[int], int] = moment_ms) -> dict[int, list[Packet]]:
    """The packets of five devices whose clocks are hours apart, each device's in event order.

    :param moment: when packet k happened by the clock of device 0, in milliseconds
    """
    found = grouped(range(400), lambda k: k * 31 % 5)
    return {device: sorted((moment(k) - device * HOUR_MS, k, k * 7919 % 101 - 50) for k in numbers)
            for device, numbers in found.items()}


def of_devices(moment: Callable[[int], int] = moment_ms) -> list[tuple[int, int, int, int]]:
    """The same one by one: device, milliseconds, number, ``x``."""
    return [(device, *packet) for device, packets in devices(moment).items() for packet in packets]


def far_from_order(k: int) -> int:
    """When packet k happened: four a second, up to 2.5 seconds out of order."""
    return START_MS + k * 250 + k * 7581 % 2500


def side(seed: int, count: int) -> list[Row]:
    """One side of a join: ``id``, ``ms``, ``key`` and ``v``."""
    return [{"id": k, "ms": START_MS + k * 400 + k * seed % 900, "key": k * seed % 7, "v": k * seed % 53} for k in range(count)]


def alone(lefts: list[Row], rights: list[Row], pairs: list[tuple[Row, Row]]) -> tuple[list[Row], list[Row]]:
    """The rows of either side that are in no pair."""
    left_ids, right_ids = {left["id"] for left, _ in pairs}, {right["id"] for _, right in pairs}
    return [row for row in lefts if row["id"] not in left_ids], [row for row in rights if row["id"] not in right_ids]


def measured() -> list[tuple[int, int, int, int]]:
    """The left side of joins by the clocks of devices: number, device, milliseconds, ``x``."""
    return [(k, k % 5, moment_ms(k) - k % 5 * HOUR_MS, k * 7919 % 101 - 50) for k in range(300)]


def faults() -> list[tuple[int, int, int, int]]:
    """The right side of them: number, device, milliseconds, code."""
    return [(k, 1 + k * 17 % 6, START_MS + k * 900 + k * 37 % 2000 - (1 + k * 17 % 6) * HOUR_MS, k * 53 % 7) for k in range(90)]


def runs(rows: list[Row], key: Callable[[Row], Any], within: timedelta) -> list[list[Row]]:
    """The rows of each key cut into runs, each of which lasts for so long from its first row."""
    found: list[list[Row]] = []
    for alike in grouped(rows, key).values():
        begun = None
        for row in alike:
            if begun is None or row["ts"] >= begun + within:
                begun = row["ts"]
                found.append([])
            found[-1].append(row)
    return found
