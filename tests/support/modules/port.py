"""The module of the reference's example of ``python_source``."""

from __future__ import annotations


class Lines:
    """Has no rows: it is checked alone."""

    def rows(self) -> list[str]:
        """None."""
        return []
