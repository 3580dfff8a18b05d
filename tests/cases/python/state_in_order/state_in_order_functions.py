def f(key, row, state):
    last, rise = state.last, None if state.x is None else row.x - state.x
    state.last, state.x = row.id, row.x
    return last, rise
