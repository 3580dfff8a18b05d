"""Time zones by the names that a plan has, and times without a zone as times of one."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any

TAIL = datetime(2037, 1, 1)
"""From about here on Arrow's zones have no summer time: it does not read the rule behind a zone's table."""
CYCLE_S = 146_097 * 86_400
"""After 400 years the calendar repeats, days of the week too, and by then zones have one rule for ever."""
PER_S = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def zone(name: str) -> tzinfo:
    """The zone of that name: a region, or an offset such as ``+02:00``.

    :raise ZoneInfoNotFoundError: a region that Python's tables lack
    """
    from zoneinfo import ZoneInfo
    offset = datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo if name[0] in "+-" else None
    return offset or ZoneInfo(name)


def in_zone(column: Any, name: str) -> Any:
    """Arrow's times without a zone as instants: as the zone's clocks show them, the earlier of two.

    :raise pyarrow.ArrowInvalid: a time that the clocks skip
    :raise ZoneInfoNotFoundError: the zone is not in Python's tables
    """
    import pyarrow
    from pyarrow import compute
    wanted, unit = zone(name), column.type.unit
    tail = compute.fill_null(compute.greater_equal(column, pyarrow.scalar(TAIL, pyarrow.timestamp(unit))), False)
    known = compute.if_else(tail, None, column)
    instants = compute.assume_timezone(known, name, ambiguous="earliest")
    if not compute.any(tail).as_py():
        return instants
    later = [_instant(value, PER_S[unit], wanted) for value in column.filter(tail).cast(pyarrow.int64()).to_pylist()]
    return compute.replace_with_mask(instants, tail, pyarrow.array(later, pyarrow.int64()).cast(instants.type))


def _instant(local: int, per_s: int, wanted: tzinfo) -> int:
    """A time of the tail as an instant, in the same unit since 1970."""
    import pyarrow
    tail_s = int(TAIL.replace(tzinfo=UTC).timestamp())
    alike = datetime.fromtimestamp(tail_s + (local // per_s - tail_s) % CYCLE_S, UTC).replace(tzinfo=wanted)
    if alike.astimezone(UTC).astimezone(wanted).replace(tzinfo=None) != alike.replace(tzinfo=None):
        raise pyarrow.ArrowInvalid("the clocks skip it")
    offset = alike.utcoffset()
    assert offset is not None
    return local - round(offset.total_seconds()) * per_s
