def f(key, rows, state):
    found = []
    for row in rows:
        if row.id % 5 == 3:
            raise ValueError("five and three")
        state.n = (state.n or 0) + 1
        state.ids = [*(state.ids or []), row.id]
        found.append((state.n, state.ids))
    return found
