"""The contract cases: a folder each under ``cases/<operator>/``, run on the engine and on Spark, compared row for row.

``make cases`` prints their index.

A case is ``case.graph.json`` (its sinks are ``collect_sink``; ``${folder}`` is the case's folder) with its inputs, and what
must come out: ``expected.json``, ``{sink: [row, ...]}``, or ``oracle.py`` with ``expected(folder)`` that computes the same in
plain Python. ``"ordered"`` in ``expected.json`` names the sinks whose order counts; ``"aggregates"`` names per sink the columns
whose doubles come out of an aggregate, which compare within 1e-9 where all others are exact; ``"not_on_spark"`` says why a case
has no Spark form, in the words of the refusal, which is then what Spark must say; ``"fails"`` is a word of the error that a case
ends with, on both sides, or on Spark alone if ``"fails_on_engine"`` is the engine's. All of them may stand in
``expected.json`` beside an oracle.
"""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "cases"
Row = dict[str, Any]
Rows = dict[str, list[Row]]


@dataclass(frozen=True)
class Case:
    """One folder."""

    folder: Path

    @property
    def graph(self) -> Path:
        """The graph's file."""
        return self.folder / "case.graph.json"

    @property
    def name(self) -> str:
        """The operator it tries, and what of it; ``graph/`` has those that try several together."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    def words(self) -> dict[str, Any]:
        """``expected.json``, or nothing."""
        path = self.folder / "expected.json"
        return dict(json.loads(path.read_text())) if path.exists() else {}

    def expected(self) -> Rows:
        """The rows that must come out, per sink."""
        path = self.folder / "oracle.py"
        if path.exists():
            spec = importlib.util.spec_from_file_location(f"oracle_{self.folder.name}", path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            rows: Rows = module.expected(self.folder)
            return rows
        return dict(self.words()["rows"])


def cases() -> list[Case]:
    """Every case, by name."""
    return [Case(path.parent) for path in sorted(FOLDER.glob("*/*/case.graph.json"))]


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


def _sort_key(row: Row, aggregates: Collection[str]) -> str:
    # What comes out of an aggregate may differ in its last digits, so it does not decide the order until all else is equal.
    exact = {k: v + 0.0 if isinstance(v, float) else v for k, v in row.items() if k not in aggregates}      # -0.0 becomes 0.0
    rounded = {k: f"{v:.6e}" if isinstance(v, float) else v for k, v in row.items() if k in aggregates}
    return json.dumps([exact, rounded], default=str)


def differences(found: list[Row], expected: list[Row], *, ordered: bool, aggregates: Collection[str] = ()) -> list[str]:
    """What is not equal, in words; rows compare as a multiset unless ``ordered``.

    :param aggregates: the columns whose doubles come out of an aggregate
    """
    left, right = ([{k: plain(v) for k, v in row.items()} for row in rows] for rows in (found, expected))
    if not ordered:
        left.sort(key=lambda row: _sort_key(row, aggregates))
        right.sort(key=lambda row: _sort_key(row, aggregates))
    complaints = [] if len(left) == len(right) else [f"{len(left)} rows, expected {len(right)}"]
    complaints += [f"row {k}: {a}, expected {b}" for k, (a, b) in enumerate(zip(left, right, strict=False))
                   if not _same_row(a, b, aggregates)]
    return complaints[:10]


def index() -> Iterator[str]:
    """A line for each case: its name, and what it tries."""
    listed = cases()
    width = max(len(case.name) for case in listed)
    for case in listed:
        yield f"{case.name:{width}}  {json.loads(case.graph.read_text())['doc']}"


if __name__ == "__main__":
    print(*index(), sep="\n")
