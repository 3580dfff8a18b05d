"""Which instance of a running operator has which buckets of its keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from despina.job import Job


def told(running: Job, operator: str) -> list[dict[str, Any]]:
    """What each instance answers to ``status``."""
    return [json.loads(each.answer) for each in running.control("status", operator)]


def by_bucket(running: Job, operator: str) -> dict[int, int]:
    """The instance that has each bucket now."""
    return of_ranges([str(answer["buckets"]) for answer in told(running, operator)])


def of_ranges(ranges: list[str]) -> dict[int, int]:
    """The same of texts as ``0-3, 7``, one of each instance, in their order."""
    owners: dict[int, int] = {}
    for instance, text in enumerate(ranges):
        for each in filter(None, text.split(", ")):
            first, _, last = each.partition("-")
            owners |= dict.fromkeys(range(int(first), int(last or first) + 1), instance)
    return owners


def moved(before: Mapping[int, int], after: Mapping[int, int]) -> int:
    """How many buckets have another instance."""
    return sum(before[bucket] != after[bucket] for bucket in before)
