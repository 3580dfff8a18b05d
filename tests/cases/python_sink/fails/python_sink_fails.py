def write(id, celsius):
    if id == 7:
        raise PermissionError("the table is read-only")
