"""Readings that the examples work on: what three machines draw, once a second. Made up, and the same each time."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

MACHINES = {"lathe": 900.0, "mill": 1500.0, "press": 2200.0}
BEGIN = time(8, tzinfo=UTC)
MINUTES = 10


def of_day(day: date) -> Iterator[tuple[datetime, str, float]]:
    """When, which machine and how many watts, in the order of time, as a gateway would send it."""
    begin = datetime.combine(day, BEGIN)
    for second in range(60 * MINUTES):
        at = begin + timedelta(seconds=second)
        for machine, watts in MACHINES.items():
            uneven = 0.25 if is_hot(machine, at) else 0.05      # a hot bearing does not draw more, but less evenly
            yield at, machine, round(watts * (1 + uneven * math.sin(second / 5)), 1)


def book(day: date) -> list[tuple[datetime, str, float]]:
    """The maintenance book of that day: for each minute and machine 1 if its bearing was hot, 0 if not."""
    minutes = (datetime.combine(day, BEGIN) + timedelta(minutes=minute) for minute in range(MINUTES))
    return [(minute, machine, float(is_hot(machine, minute))) for minute in minutes for machine in MACHINES]


def is_hot(machine: str, at: datetime) -> bool:
    """Whether its bearing was hot in that minute."""
    return (at.day + at.minute + len(machine)) % 7 == 0


def write(folder: Path, day: date) -> Path:
    """A csv file of that day's readings, as a logger leaves one."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{day}.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        lines = csv.writer(out)
        lines.writerow(["ts", "machine", "watts"])
        lines.writerows((at.isoformat(), machine, watts) for at, machine, watts in of_day(day))
    return file
