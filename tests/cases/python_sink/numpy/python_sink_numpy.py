def write(celsius, id):
    if (celsius * 2 != id).any():
        raise ValueError(celsius)
