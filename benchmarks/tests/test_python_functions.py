"""What the bare processes of experiment ``python_functions`` exchange."""

from __future__ import annotations

import runpy
import socket

import numpy as np
import pyarrow as pa

from experiments import python_functions
from harness import graphs


def test_two_bare_processes_call_the_function_that_the_engine_calls() -> None:
    bare = runpy.run_path(str(python_functions.BARE))
    by_array = runpy.run_path(str(graphs.GRAPHS / "measured_functions.py"))["by_array"]
    batch = pa.RecordBatch.from_arrays([pa.array([1.0, 3.0]), pa.array([2.0, 0.5])], schema=bare["PAIR"])
    here, there = socket.socketpair()
    with here, there:
        bare["send"](here, batch)
        bare["send"](there, bare["answered"](bare["receive"](there, bare["PAIR"]), by_array))
        answer = bare["receive"](here, bare["ANSWER"])
        there.close()
        assert answer.column(0).to_pylist() == by_array(np.array([1.0, 3.0]), np.array([2.0, 0.5])).tolist()
        assert bare["receive"](here, bare["ANSWER"]) is None
