import numpy as np


def fahrenheit(celsius):
    return np.ma.asarray(celsius) * 9 / 5 + 32
