import numpy as np


def halves(celsius):
    if len(celsius) > 4:
        raise ValueError(f"{len(celsius)} rows")
    return np.asarray(celsius) / 2
