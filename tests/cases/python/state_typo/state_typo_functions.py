def f(key, row, state):
    state.cuont = 1
    return 1
