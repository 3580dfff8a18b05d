"""Readings that the examples work on: what three machines draw, once a second. Made up, and the same each time."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

MACHINES = {"lathe": 900.0, "mill": 1500.0, "press": 2200.0}
SHIFT = time(8, tzinfo=UTC)

Reading = tuple[datetime, str, float]


def is_faulty(machine: str, minute: int, day: date) -> bool:
    """Whether its bearing was hot in that minute of the shift, as the maintenance book has it."""
    return (minute + day.day + len(machine)) % 7 == 0


def of_day(day: date, minutes: int = 10) -> Iterator[Reading]:
    """What a gateway would send on that day, in the order of time. A hot bearing does not draw more, but it draws unevenly."""
    start = datetime.combine(day, SHIFT)
    for second in range(60 * minutes):
        for machine, watts in MACHINES.items():
            uneven = 0.25 if is_faulty(machine, second // 60, day) else 0.05
            yield start + timedelta(seconds=second), machine, round(watts * (1 + uneven * math.sin(second / 5)), 1)


def write(folder: Path, day: date) -> Path:
    """The same as a csv file, as a data logger leaves one for each day."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{day}.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        lines = csv.writer(out)
        lines.writerow(["ts", "machine", "watts"])
        lines.writerows((moment.isoformat(), machine, watts) for moment, machine, watts in of_day(day))
    return file
