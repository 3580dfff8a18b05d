from datetime import timedelta


class Counts:
    def process(self, key, rows, state):
        for row in rows:
            if state.timer is None:
                state.set_timer(row.ts + timedelta(seconds=5))
            state.n = (state.n or 0) + 1
            yield state.n

    def timer(self, key, when, state):
        state.n = None
