def rows():
    yield 1, "a"
    yield "two", "b"
