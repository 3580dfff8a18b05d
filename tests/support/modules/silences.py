"""Counts the readings of a device, and tells when it has been silent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any


class Counted:
    """Rows of its own, of its packets and of its timers."""

    def process(self, key: Any, row: Any, state: Any) -> tuple[Any, ...]:
        state.n = (state.n or 0) + 1
        state.last = row.value
        state.set_timer(row.ts + timedelta(seconds=4, microseconds=7))
        return row.ts, key, state.n, row.value

    def timer(self, key: Any, when: datetime, state: Any) -> tuple[Any, ...]:
        return when, key, -state.n, state.last
