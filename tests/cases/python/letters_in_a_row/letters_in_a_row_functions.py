import pyarrow.compute as pc


def one(id):
    if id % 7 == 6:
        raise ValueError("seven")
    return id * 2


def two(batch):
    if pc.any(pc.equal(batch.column("n"), 20)).as_py():
        raise ValueError("twenty")
    return pc.add(batch.column("n"), batch.column("id"))
