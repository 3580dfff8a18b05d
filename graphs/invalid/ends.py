"""A class of Python that wants to hear the end of each of its keys."""

from typing import Any


class Sum:
    """The sum of a key's rows."""

    def process(self, key: Any, row: Any, state: Any) -> None:
        """Adds a row."""
        state.n = (state.n or 0) + row.id

    def end(self, key: Any, state: Any) -> float:
        """The sum, when no row will come."""
        return float(state.n)
