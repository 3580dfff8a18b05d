def add(key, row, state):
    state.total = (state.total or 0) + row.span
    return state.total
