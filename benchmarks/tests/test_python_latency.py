"""The functions that are measured give the same values, and what one of them adds is the middle of its rounds."""

from __future__ import annotations

import runpy

import numpy
import pandas
import polars
import pyarrow as pa

from experiments import python_latency
from harness.graphs import GRAPHS
from harness.result import Repeat, Result


def test_all_functions_give_the_same_values() -> None:
    functions = runpy.run_path(str(GRAPHS / "measured_functions.py"))
    a, b = [3.0, 1.0, 2.0], [1.0, 3.0, 2.0]
    given = {"row": zip(a, b, strict=True), "numpy": (numpy.array(a), numpy.array(b)),
             "arrow": pa.RecordBatch.from_pydict({"a": a, "b": b}), "polars": polars.DataFrame({"a": a, "b": b}),
             "pandas": pandas.DataFrame({"a": a, "b": b})}
    found = {takes: functions[name] for takes, name in python_latency.FUNCTIONS.items()}
    assert [found["row"](*each) for each in given["row"]] == [37.4, 3.0, 2.0]
    assert found["numpy"](*given["numpy"]).tolist() == [37.4, 3.0, 2.0]
    assert found["arrow"](given["arrow"]).to_pylist() == [37.4, 3.0, 2.0]
    assert found["polars"](given["polars"])["f"].to_list() == [37.4, 3.0, 2.0]
    assert found["pandas"](given["pandas"]).tolist() == [37.4, 3.0, 2.0]


def test_what_a_function_adds_is_the_middle_of_the_differences_round_by_round() -> None:
    point = python_latency.ALONE
    repeats = [Repeat(subject, point, k, 0, {"p50_ms": value}) for subject, values in (
        (python_latency.WITHOUT, (0.1, 0.5, 0.2)), (python_latency.ROW, (0.3, 0.6, 0.7))) for k, value in enumerate(values)]
    claim = next(each for each in python_latency.EXPERIMENT.claims if each.text.startswith("1,000/s, row: p50"))
    found = claim.found(Result({}, repeats))
    assert isinstance(found, float)
    assert round(found, 9) == 0.2
    assert claim.found(Result({}, repeats[:3])) is None
