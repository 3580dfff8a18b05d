def inverse(id):
    return 10 / (id - 3)
