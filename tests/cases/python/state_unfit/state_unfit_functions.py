def f(key, row, state):
    state.n = (state.n or 0) + 1
    if row.id % 5 == 3:
        state.n = "many"
    if row.id % 7 == 3:
        state.n += 2**31 - 5
    return (row.id, state.n if row.id % 8 else 1.5)
