"""A model in ONNX's form, run by onnxruntime."""

from pathlib import Path

import numpy as np
import onnxruntime


class Wear:
    """Loads the model once in each process, and runs it on a whole batch at a time."""

    def open(self, context):
        """One thread: the engine runs instances side by side if the operator's `parallelism` says so."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        path = Path(__file__).with_name(context.options["model"])
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def process(self, force, vibration, minutes):
        """How worn the tool is, in millimetres."""
        readings = np.column_stack([force, vibration, minutes]).astype(np.float32)
        [wear] = self.session.run(["wear"], {"readings": readings})
        return np.round(wear[:, 0].astype(np.float64), 3)
