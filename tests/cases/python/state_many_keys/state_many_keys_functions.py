def f(key, row, state):
    assert key == row.id % 1000
    before = state.before
    state.n, state.before = (state.n or 0) + 1, row.id
    return state.n, before
