import numpy


def halved(id, x):
    if id % 13 == 4:
        raise ValueError("four")
    return None if x is None else x / 2


class Shifted:
    def open(self, context):
        self.by = float(context.options["by"])

    def process(self, x, half):
        return half + self.by, ~numpy.ma.getmaskarray(x)


def repeated(id, shifted, device, known):
    if id % 17 == 3:
        raise ValueError("three")
    for k in range(id % 3):
        yield id, device, shifted if known else -1.0, k
