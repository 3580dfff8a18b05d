def twice(id):
    return id * 2
