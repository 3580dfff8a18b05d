"""Writes wear.onnx, in place of a model that was trained elsewhere: two layers whose numbers are made up.

It needs the package onnx.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

weights = {
    "hidden": np.array([[0.02, -0.01, 0.03], [0.5, 0.2, -0.3], [0.004, 0.01, 0.002]], np.float32),
    "hidden_bias": np.array([-4.0, 0.5, -2.0], np.float32),
    "last": np.array([[0.04], [0.03], [0.05]], np.float32),
    "last_bias": np.array([0.01], np.float32),
}
graph = helper.make_graph(
    [helper.make_node("Gemm", ["readings", "hidden", "hidden_bias"], ["between"]),
     helper.make_node("Relu", ["between"], ["kept"]),
     helper.make_node("Gemm", ["kept", "last", "last_bias"], ["wear"])],
    "wear",
    [helper.make_tensor_value_info("readings", TensorProto.FLOAT, ["rows", 3])],
    [helper.make_tensor_value_info("wear", TensorProto.FLOAT, ["rows", 1])],
    [numpy_helper.from_array(value, name) for name, value in weights.items()])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, Path(__file__).with_name("wear.onnx"))
