def write(batch):
    if list(batch.columns) != ["id", "celsius"] or batch.empty:
        raise ValueError(list(batch.columns))
