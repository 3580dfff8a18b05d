def write(id):
    if id % 2:
        raise ValueError("odd")
