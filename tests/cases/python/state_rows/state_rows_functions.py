def f(key, row, state):
    for _ in range(row.id % 4):
        state.seen = (state.seen or 0) + 1
        yield row.ts, row.id, state.seen
    state.seen = (state.seen or 0) + 10
