"""Frames and columns as names in SQL text."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def quoted(name: str) -> str:
    """A column name that SQL takes as it is."""
    return "`" + name.replace("`", "``") + "`"


def view(frame: DataFrame) -> str:
    """Makes the frame a temporary view of its session and gives the view's name."""
    name = f"despina_{uuid.uuid4().hex}"
    frame.createOrReplaceTempView(name)
    return name


def named(text: str) -> str | None:
    """The name that ``expr AS name`` gives, or None for a bare expression."""
    match = re.fullmatch(r"(?is).+\s+AS\s+(`[^`]+`|\w+)\s*", text)
    return match.group(1) if match else None
