"""What a Python function costs in a graph, beside the bare loop that calls it."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from time import monotonic

from harness import engine, graphs, java, spending
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject

ROWS = 4_096
"""Of a batch."""
FEW, MANY = {"keys": 10}, {"keys": 1000}
ROW, NUMPY, KEYED, AT_ONCE = "by row", "by numpy", "mean by key", "mean by key, all rows of a key at once"
LOOP, KEYED_LOOP = "by row, a bare loop", "mean by key, a bare loop"


def _in_a_graph(graph: str) -> Callable[[Run], Measured]:
    def called(run: Run) -> Measured:
        return spending.in_a_graph(run, graphs.GRAPHS / f"{graph}.graph.json")
    return called


def _looped(batch: Callable[[Run], Callable[[], object]]) -> Callable[[Run], Measured]:
    """So many batches as the time allows, in this process."""
    def measured(run: Run) -> Measured:
        call, rows = batch(run), 0
        began = monotonic()
        while (passed := monotonic() - began) < run.seconds:
            call()
            rows += ROWS
        return Measured({engine.PER_S.name: rows / passed}, {})
    return measured


def _rows(run: Run) -> Callable[[], object]:
    """A call of the function for each pair of two lists."""
    by_row = runpy.run_path(str(graphs.GRAPHS / "measured_functions.py"))["by_row"]
    a, b = [float(k % 101) for k in range(ROWS)], [float(k % 97) for k in range(ROWS)]
    return lambda: list(map(by_row, a, b))


def _means(run: Run) -> Callable[[], object]:
    """Count and total by key in a dict; nothing is kept, sent or checked."""
    a = [float(k % 101) for k in range(ROWS)]
    keys = [k * 2_654_435_761 % run.point["keys"] for k in range(ROWS)]
    kept: dict[int, tuple[int, float]] = {}

    def call() -> object:
        means = []
        for key, value in zip(keys, a, strict=True):
            n, total = kept.get(key, (0, 0.0))
            kept[key] = n + 1, total + value
            means.append((total + value) / (n + 1))
        return means
    return call


def _claim(name: str, point: Point, at_least: float) -> Claim:
    return Claim(f"{name}, {point['keys']:,} keys: rows/s", lambda result: result.estimate("per_s", name, point),
                 at_least=at_least)


EXPERIMENT = Experiment(
    name="python_functions",
    doc="""A source of three columns in a task of its own, a function of Python's in one process, a sink that counts. By row and
    by numpy it is `a * 1.8 + 32 if a > b else b` of two doubles. By key it is a mean of a double, its state a count and a total.
    The bare loops call the same, in one process, on lists that are there. Processor time is that of the JVM and of Python's
    process.""",
    subjects=(Subject(LOOP, _looped(_rows)), Subject(ROW, _in_a_graph("python_row")), Subject(NUMPY, _in_a_graph("python_numpy")),
              Subject(KEYED_LOOP, _looped(_means)), Subject(KEYED, _in_a_graph("python_keyed")),
              Subject(AT_ONCE, _in_a_graph("python_keyed_rows"))),
    metrics=(engine.PER_S, engine.CPU),
    baseline=LOOP,
    full=Plan([FEW, MANY], seconds=6),
    quick=Plan([MANY], repeats=1, warm_up_s=1, seconds=2),
    claims=(_claim(NUMPY, MANY, 4e6), _claim(ROW, MANY, 1.5e6), _claim(KEYED, MANY, 0.8e6), _claim(KEYED, FEW, 1.2e6),
            Claim("by row, of the bare loop", lambda result: result.ratio("per_s", ROW, LOOP, MANY), at_least=0.6)),
    needs=(java.java_needed,),
)
