def long(id):
    return "x" * 1_000_000 + str(id)
