"""Alarms for doors that are left open."""

from datetime import timedelta


class LeftOpen:
    """After five minutes an alarm, then two more, ten minutes apart."""

    def process(self, key, row, state):
        if row.what == "closed":
            state.clear()
            return
        state.since, state.alarms = row.ts, 0
        state.set_timer(row.ts + timedelta(minutes=5))

    def timer(self, key, when, state):
        state.alarms += 1
        if state.alarms < 3:
            state.set_timer(when + timedelta(minutes=10))
        return when, key, state.since, state.alarms
