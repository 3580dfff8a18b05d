"""Packets as they come: rows have no instant at which they do, so none is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from despina.backends.spark.form import Call, Frames


def translate(call: Call) -> Frames:
    """The rows as they come."""
    return {"out": call.frame}
