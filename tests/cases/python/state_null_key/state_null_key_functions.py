def f(key, row, state):
    was, state.last = state.last, row.id
    return f"{key} after {was}"
