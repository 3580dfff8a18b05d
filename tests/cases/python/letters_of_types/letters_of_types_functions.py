def odd(id, ts):
    if id % 2:
        raise ValueError("odd")
    return id
