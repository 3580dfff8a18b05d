class Counts:
    def process(self, key, row, state):
        state.n = (state.n or 0) + 1
        return row.id, key.key_2.isoformat(), repr(key.d), state.n
