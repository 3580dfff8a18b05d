def inverse(id):
    if 3 in id:
        raise ValueError("three")
    return 1.0 * id
