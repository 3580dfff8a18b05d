def rows():
    return ((k, str(k)) for k in range(20_000))
