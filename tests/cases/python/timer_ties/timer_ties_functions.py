from datetime import timedelta


class Ties:
    def process(self, key, row, state):
        state.ids = [*(state.ids or []), row.id]
        if state.timer is None:
            state.set_timer(row.ts + timedelta(seconds=3))

    def timer(self, key, when, state):
        ids, state.ids = state.ids, None
        return when, key, ids
