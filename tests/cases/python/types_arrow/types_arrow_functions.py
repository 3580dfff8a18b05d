def same(batch):
    return batch.drop_columns(["id"]) if hasattr(batch, "drop_columns") else batch.select(batch.schema.names[1:])
