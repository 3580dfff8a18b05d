def many(id):
    return [(id, k) for k in range(10_000)] if id == 5 else []
