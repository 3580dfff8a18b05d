import numpy as np


class Model:
    def __init__(self):
        self.weights = np.array([2.0, 1.0])

    def process(self, celsius, id):
        return celsius * self.weights[0] + id * self.weights[1]
