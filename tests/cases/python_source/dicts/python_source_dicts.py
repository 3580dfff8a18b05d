def rows():
    yield {"text": "a", "id": 1}
    yield {"id": None, "text": "b"}
    yield (3, None)
