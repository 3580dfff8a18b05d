class Sums:
    def open(self, context):
        self.calls = 0

    def process(self, key, row, state):
        self.calls += 1
        state.total = (state.total or 0) + row["id"]
        assert key is True
        return state.total
