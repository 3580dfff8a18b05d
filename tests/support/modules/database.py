"""The module of the reference's example of ``python_sink``."""

from __future__ import annotations

from typing import Any


class Table:
    """Writes nothing: it is checked alone."""

    def open(self, context: Any) -> None:
        """Knows where."""
        self.path = context.options["path"]

    def write(self, batch: object) -> None:
        """Leaves it aside."""
