def rows():
    for k in range(5):
        yield k, f"d{k % 2}", k / 2
