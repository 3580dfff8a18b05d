"""The function of the reference's example."""

from __future__ import annotations


def anomaly(celsius: float, limit: float = 20.0) -> float:
    """How far it is from the limit."""
    return abs(celsius - limit) / limit
