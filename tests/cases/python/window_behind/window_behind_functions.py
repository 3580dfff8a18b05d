def odd(id):
    return id % 2 == 1
