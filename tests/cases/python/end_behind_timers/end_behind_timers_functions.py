from datetime import timedelta


class Quiet:
    def process(self, key, row, state):
        state.n = (state.n or 0) + 1
        if row.id < 30:
            state.set_timer(row.ts + timedelta(seconds=2 if key == "d0" else 1000))

    def timer(self, key, when, state):
        state.n = None if key == "d1" else state.n + 100
        return "timer", key, state.n

    def end(self, key, state):
        return "end", key, state.n
