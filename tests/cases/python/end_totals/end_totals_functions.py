class Totals:
    def process(self, key, row, state):
        state.n = (state.n or 0) + 1
        state.total = (state.total or 0.0) + row.celsius

    def end(self, key, state):
        return key, state.n, state.total
