import numpy as np


def clipped(celsius, id):
    return np.clip(celsius, 1.0, 3.0) + id
