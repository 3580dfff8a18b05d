import pyarrow.compute as pc


def warm(batch):
    return batch.filter(pc.greater(batch["celsius"], 2.0))
