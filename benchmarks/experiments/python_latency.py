"""How much later a row is when a Python function is called with it, where rows come one at a time."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

from despina.errors import StartError
from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject
from harness.result import Result
from harness.stats import Estimate

WITHOUT = "without a function"
ROW, NUMPY, ARROW, POLARS, PANDAS = "row", "numpy", "arrow", "polars", "pandas"
FUNCTIONS = {ROW: "by_row", NUMPY: "by_array", ARROW: "by_batch", POLARS: "by_polars", PANDAS: "by_pandas"}
"""By what it takes."""
ALONE, MANY = {"rate_per_s": 1_000}, {"rate_per_s": 20_000}
QUICK = (ROW, NUMPY, ARROW)
"""What is to add little."""


def _graph(takes: str, rate_per_s: float) -> dict[str, Any]:
    """Three tasks, of which the middle one calls a function; a relay where there is none."""
    called: dict[str, Any] = {"type": "relay"} if takes == WITHOUT else {
        "type": "python", "function": f"measured_functions:{FUNCTIONS[takes]}", "takes": takes, "adds": "f DOUBLE",
        "columns": ["a", "b"], "accept": ["slow_form"]}
    rows = {"type": "select", "select": ["CAST(id % 101 AS DOUBLE) AS a", "CAST(id % 97 AS DOUBLE) AS b"]}
    return {"format": 1, "name": "python_latency",
            "operators": {"source": {"type": "generator_source", "rows": rows, "rate_per_s": rate_per_s}, "called": called,
                          "sink": {"type": "discard_sink"}},
            "links": [{"from": "source", "to": "called", "fuse": False}, {"from": "called", "to": "sink", "fuse": False}]}


def _paced(takes: str) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        graph = _graph(takes, run.point["rate_per_s"])
        return engine.measured(engine.timed(run, graph, options=("--modules", str(graphs.GRAPHS))))
    return measured


def _found(metric: str, takes: str, point: Point) -> Callable[[Result], Estimate | None]:
    return lambda result: result.estimate(metric, takes, point)


def _more(metric: str, takes: str, point: Point) -> Callable[[Result], float | None]:
    """What the function adds: the median of the differences, round by round."""
    def found(result: Result) -> float | None:
        pairs = result.pairs(metric, takes, WITHOUT, point)
        more = sorted(ours.values[metric] - theirs.values[metric] for ours, theirs in pairs)
        return more[len(more) // 2] if more else None
    return found


def _frames_needed() -> None:
    """An experiment's need.

    :raise StartError: pandas or polars is not installed
    """
    for name in (PANDAS, POLARS):
        if importlib.util.find_spec(name) is None:
            raise StartError(f"{name}_missing", f"no {name}, whose frames are measured", f"pip install {name}")


EXPERIMENT = Experiment(
    name="python_latency",
    doc="""Rows of two doubles at a fixed rate, source, a Python function and sink in a task each, all in one JVM: how old rows
    are at the sink, by their due times. At 1,000/s each row crosses alone, so what is above the graph that has a relay in the
    function's place is the crossing, the form that the function takes, and itself: `a * 1.8 + 32 if a > b else b`.""",
    subjects=(Subject(WITHOUT, _paced(WITHOUT), 3), *(Subject(takes, _paced(takes), 3.5) for takes in QUICK),
              *(Subject(takes, _paced(takes), 4.5, at=lambda point: bool(point == ALONE)) for takes in (POLARS, PANDAS))),
    metrics=(engine.P50, engine.P99, engine.CPU),
    baseline=WITHOUT,
    full=Plan([ALONE, MANY], warm_up_s=3, seconds=4),
    quick=Plan([ALONE], repeats=1, warm_up_s=0.5, seconds=0.5),
    claims=(*(Claim(f"1,000/s, {takes}: p50 above the graph without, ms", _more("p50_ms", takes, ALONE), at_most=0.2)
              for takes in QUICK),
            *(Claim(f"1,000/s, {takes}: p99 above the graph without, ms", _more("p99_ms", takes, ALONE), at_most=1.0)
              for takes in QUICK),
            Claim("1,000/s, polars: p50 above the graph without, ms", _more("p50_ms", POLARS, ALONE), at_most=0.5),
            *(Claim(f"20,000/s, {takes}: p99, ms", _found("p99_ms", takes, MANY), at_most=2.0) for takes in QUICK)),
    needs=(java.java_needed, _frames_needed),
)
