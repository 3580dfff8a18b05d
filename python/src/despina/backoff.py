"""How long to wait before something that was lost is started again."""

from __future__ import annotations

FIRST_S, MOST_S, QUIET_S = 1.0, 30.0, 600.0
"""The second restart waits for the first of these, the later ones twice as long each, at most for the next. After the last of
them without a loss, the next restart comes at once again."""


class Backoff:
    """When the next start comes. It is told the time, and does nothing."""

    def __init__(self) -> None:
        self._in_a_row = 0
        self._last = 0.0

    def delay_s(self, now: float) -> float:
        """How long to wait after a loss at that time."""
        self._in_a_row = 1 if now - self._last >= QUIET_S else self._in_a_row + 1
        self._last = now
        return 0.0 if self._in_a_row == 1 else min(MOST_S, FIRST_S * 2.0 ** min(self._in_a_row - 2, 10))
