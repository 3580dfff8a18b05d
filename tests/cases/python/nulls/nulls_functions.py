import math


def seen(n, x, xs):
    assert x is None or isinstance(x, float)
    return n, None if x is None else math.isnan(x), x, None if xs is None else xs[::-1]
