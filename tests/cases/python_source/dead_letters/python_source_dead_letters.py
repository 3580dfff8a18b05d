def rows():
    yield (1,)
    yield ("two",)
    yield (3.5,)
    yield (4,)
