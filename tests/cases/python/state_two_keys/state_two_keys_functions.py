def f(key, row, state):
    device, parity = key
    assert (key.device, key.key_2) == (device, parity)
    state.n = (state.n or 0) + 1
    return f"{device} {parity} {state.n} {type(row.id).__name__}"
