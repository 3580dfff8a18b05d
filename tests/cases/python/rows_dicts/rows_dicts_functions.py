def named(id):
    return {"id": id, "half": None} if id % 2 else {"half": id // 2, "id": id}
