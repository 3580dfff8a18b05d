def odd(id):
    return [1.5, "x", 7, 2**40, None][id % 5]
