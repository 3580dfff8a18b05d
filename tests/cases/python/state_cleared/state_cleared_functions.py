def f(key, row, state):
    if state.count is None:
        state.count, state.first = 0, row.id
    state.count += 1
    given = state.count, state.first
    if state.count == 4:
        state.clear()
        assert state.count is None
    return given
