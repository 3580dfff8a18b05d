from datetime import timedelta


class Raises:
    def process(self, key, row, state):
        state.n = (state.n or 0) + 1
        if row.id % 11 == 5:
            raise ValueError("eleven")
        if row.id < 14:
            state.set_timer(row.ts + timedelta(seconds=2))
        return state.n

    def timer(self, key, when, state):
        state.n = None
        if key is None or key % 2:
            raise ValueError("odd")
