def square(id):
    return id * id
