import pyarrow as pa


def rows():
    yield pa.RecordBatch.from_pydict({"id": [0, 1, 2], "text": ["a", None, "c"]})
    yield 3, "d"
    yield pa.table({"text": ["e"], "id": [4]})
