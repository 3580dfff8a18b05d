import numpy as np


def root(celsius):
    return np.sqrt(celsius)
