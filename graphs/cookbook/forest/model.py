"""An isolation forest of scikit-learn that `fit.py` has fitted."""

from pathlib import Path

import joblib
import numpy as np


class Forest:
    """Loads the forest once in each process, and asks it for a whole batch at a time: a call costs far more than a row."""

    def open(self, context):
        """``context.options`` has what the graph says."""
        self.model = joblib.load(Path(__file__).with_name(context.options["model"]))

    def process(self, flow, pressure):
        """Whether each reading is easier to set apart than nearly all of the usual ones were."""
        return self.model.predict(np.column_stack([flow, pressure])) < 0
