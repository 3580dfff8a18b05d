def f(key, row, state):
    if state.n is None:
        state.n, state.ids = 0, []
    state.n += 1
    state.ids.append(row.id)
    if row.id % 5 == 3:
        raise ValueError("five and three")
    return state.n, state.ids
