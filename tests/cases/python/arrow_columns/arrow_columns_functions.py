import pyarrow.compute as pc


def doubled(batch):
    assert batch.schema.names == ["celsius"]
    return pc.multiply(batch["celsius"], 2.0)
