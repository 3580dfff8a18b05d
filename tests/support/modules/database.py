"""The module of the reference's example of ``python_sink``."""

from __future__ import annotations


class Table:
    """Writes nothing: it is checked alone."""

    def write(self, batch: object) -> None:
        """Leaves it aside."""
