"""The module of the reference's example of ``python_source``."""

from __future__ import annotations

from typing import Any


class Lines:
    """Has no rows: it is checked alone."""

    def open(self, context: Any) -> None:
        """Knows where."""
        self.path = context.options["path"]

    def rows(self) -> list[str]:
        """None."""
        return []
