def some(id, device):
    if id % 3 == 0:
        return None
    if id % 3 == 1:
        return id, device
    return [(id, device), (-id, device)]
