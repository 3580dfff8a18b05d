class Sums:
    def process(self, key, row, state):
        if state.count is None:
            state.count, state.total = 0, 0.0
        state.count += 1
        state.total += row.celsius
        return state.count, state.total / state.count
