class Totals:
    def process(self, key, row, state):
        state.n = (state.n or 0) + 1

    def end(self, key, state):
        if key == "d1":
            raise ValueError("d1 has no end")
        return key, state.n
