def write(batch):
    if batch.columns != ["id", "celsius"] or batch.is_empty():
        raise ValueError(batch.columns)
