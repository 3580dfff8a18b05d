def many(id):
    for k in range(id * 3):
        yield id, k


def sized(k):
    if len(k) > 16:
        raise ValueError(f"{len(k)} rows")
    return k + 1
