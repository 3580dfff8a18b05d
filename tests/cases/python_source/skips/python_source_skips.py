def rows():
    yield 1, "a"
    yield "two", "b"
    yield (3,)
    yield 4, "d"
