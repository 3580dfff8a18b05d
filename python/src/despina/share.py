"""What is read beside the code: the reference, the schema, the graphs. A wheel has them in ``share``, a checkout at its root."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_WHEEL = _PACKAGE / "share"
_CHECKOUT = _PACKAGE.parents[2]


def path(name: str) -> Path:
    """Where a file is, by its path in the project, for example ``graphs/first.graph.json``."""
    return (_WHEEL if _WHEEL.is_dir() else _CHECKOUT) / name
