"""When rows are equal: as a multiset or in order, doubles exactly or, out of an aggregate, within 1e-9."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from despina import zones

if TYPE_CHECKING:
    import pyarrow

Row = dict[str, Any]
MOST_COMPLAINTS = 10
_NUMBERS = ("NaN", "Infinity", "-Infinity")
"""Doubles that JSON has no form for; they stand in quotes."""


def plain(value: Any) -> Any:
    """A value in the form in which both sides are compared: time stamps as ISO text, decimals as text, bytes as hex."""
    match value:
        case datetime():
            moment = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
            return moment.isoformat(timespec="microseconds")
        case date():
            return value.isoformat()
        case Decimal():
            return str(value)
        case bytes():
            return value.hex()
        case dict():
            return {k: plain(v) for k, v in value.items()}
        case list() | tuple():
            return [plain(v) for v in value]
        case _:
            return value


def written(value: Any, kind: pyarrow.DataType, zone: str) -> Any:
    """A value as a test's file has it, whether it comes from there or from a table: a time as ``2012-02-22T16:46:28Z``, bytes in
    base 64, a decimal as text, an object for a map whose keys are texts. What does not fit the type stays as it is.

    :param zone: of times that name none
    """
    import pyarrow.types as kinds
    if value is None or not kinds.is_nested(kind):
        return _written(value, kind, zone)
    if isinstance(value, dict) and kinds.is_struct(kind):
        fields = {field.name: field.type for field in kind}
        return {name: written(value.get(name), fields[name], zone) for name in fields} | {
            name: other for name, other in value.items() if name not in fields}
    if isinstance(value, (dict, list)) and kinds.is_map(kind):
        return _map(value.items() if isinstance(value, dict) else value, kind, zone)
    return [written(item, kind.value_type, zone) for item in value] if isinstance(value, list) else value


def _written(value: Any, kind: pyarrow.DataType, zone: str) -> Any:
    """A value without parts."""
    import pyarrow.types as kinds
    match value:
        case str() | datetime() if kinds.is_timestamp(kind):
            value = _time(value, kind.tz is not None, zone)
        case date() if kinds.is_date(kind):
            value = value.isoformat()
        case str() | int() | float() | Decimal() if kinds.is_decimal(kind):
            value = _decimal(value, kind.scale)
        case str() if kinds.is_floating(kind) and value in _NUMBERS:
            value = float(value)
        case bytes():
            value = base64.b64encode(value).decode()
    return value if isinstance(value, (str, int, float, dict, list)) or value is None else str(value)


def quoted(value: Any) -> Any:
    """The value with the doubles that JSON has no form for as texts."""
    match value:
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case list():
            return [quoted(item) for item in value]
        case dict():
            return {name: quoted(item) for name, item in value.items()}
        case _:
            return value


def _time(value: str | datetime, zoned: bool, zone: str) -> str:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return str(value)
    if not zoned:
        return value.replace(tzinfo=None).isoformat()
    moment = value if value.tzinfo else value.replace(tzinfo=zones.zone(zone))
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _decimal(value: str | float | Decimal, scale: int) -> str:
    try:
        number = Decimal(str(value))
        scaled = round(number, scale)
    except InvalidOperation:
        return str(value)
    return str(scaled if scaled == number else number)


def _map(pairs: Any, kind: Any, zone: str) -> Any:
    found = [[written(key, kind.key_type, zone), written(item, kind.item_type, zone)] for key, item in pairs]
    found.sort(key=lambda pair: json.dumps(pair[0], default=str))
    return dict(found) if all(isinstance(key, str) for key, _ in found) else found


def equal(a: Any, b: Any, *, aggregate: bool = False) -> bool:
    """Equal: doubles exactly (NaN = NaN, -0.0 = 0.0), out of an aggregate within 1e-9 of their size."""
    match a, b:
        case bool(), _:
            return a is b
        case (float(), float() | int()) | (int(), float()):
            if math.isnan(a) or math.isnan(b):
                return math.isnan(a) and math.isnan(b)
            return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) if aggregate else a == b
        case list(), list():
            return len(a) == len(b) and all(equal(x, y, aggregate=aggregate) for x, y in zip(a, b, strict=True))
        case dict(), dict():
            return list(a) == list(b) and all(equal(a[k], b[k], aggregate=aggregate) for k in a)
        case _:
            return bool(a == b)


def _same_row(a: Row, b: Row, aggregates: Collection[str]) -> bool:
    return list(a) == list(b) and all(equal(a[k], b[k], aggregate=k in aggregates) for k in a)


def _key(value: Any) -> Any:
    """The same for all that is equal: 2.0 and 2, -0.0 and 0.0."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            return [_key(item) for item in value]
        case dict():
            return {name: _key(item) for name, item in value.items()}
        case _:
            return value


def unmatched(found: Sequence[Row], expected: Sequence[Row], *, ordered: bool,
              aggregates: Collection[str] = ()) -> list[tuple[int, Row | None, Row | None]]:
    """What has no equal on the other side: an index, the row found there or None, and the row expected there or None.

    The index is the row's in its own list, and in both where ``ordered``.

    :param aggregates: the columns whose doubles come out of an aggregate
    """
    if ordered:
        return [(k, found[k] if k < len(found) else None, expected[k] if k < len(expected) else None)
                for k in range(max(len(found), len(expected)))
                if k >= min(len(found), len(expected)) or not _same_row(found[k], expected[k], aggregates)]
    left: list[tuple[int, Row | None, Row | None]] = []
    groups: dict[str, tuple[list[int], list[int]]] = {}
    for side, rows in enumerate((found, expected)):
        for index, row in enumerate(rows):
            # What comes out of an aggregate may differ in its last digits, so it is no part of what must be exactly equal.
            exact = json.dumps([list(row), {k: _key(v) for k, v in row.items() if k not in aggregates}], default=str)
            groups.setdefault(exact, ([], []))[side].append(index)
    for have, want in groups.values():
        have.sort(key=lambda index: _rounded(found[index], aggregates))
        want.sort(key=lambda index: _rounded(expected[index], aggregates))
        for index in want:
            match = next((k for k, at in enumerate(have) if _same_row(found[at], expected[index], aggregates)), None)
            if match is None:
                left.append((index, None, expected[index]))
            else:
                del have[match]
        left += [(index, found[index], None) for index in have]
    return sorted(left, key=lambda one: (one[0], one[2] is None))


def _rounded(row: Row, aggregates: Collection[str]) -> str:
    return json.dumps({k: f"{v:.6e}" if isinstance(v, float) else v for k, v in row.items() if k in aggregates}, default=str)


def differences(found: list[Row], expected: list[Row], *, ordered: bool, aggregates: Collection[str] = ()) -> list[str]:
    """What is not equal, in words; rows compare as a multiset unless ``ordered``.

    :param aggregates: the columns whose doubles come out of an aggregate
    """
    left, right = ([{k: plain(v) for k, v in row.items()} for row in rows] for rows in (found, expected))
    complaints = [] if len(left) == len(right) else [f"{len(left)} rows, expected {len(right)}"]
    for index, have, want in unmatched(left, right, ordered=ordered, aggregates=aggregates):
        complaints += [f"row {index} expected: {want}"] * (want is not None) + [f"row {index} found: {have}"] * (have is not None)
    return complaints[:MOST_COMPLAINTS]
