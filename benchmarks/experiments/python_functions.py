"""What a Python function costs in a graph, beside the bare loop that calls it."""

from __future__ import annotations

import runpy
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from harness import engine, graphs, java, spending
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject
from harness.processes import RunError

ROWS = 4_096
"""Of a batch."""
FEW, MANY = {"keys": 10}, {"keys": 1000}
ROW, NUMPY, KEYED, AT_ONCE = "by row", "by numpy", "mean by key", "mean by key, all rows of a key at once"
LOOP, KEYED_LOOP = "by row, a bare loop", "mean by key, a bare loop"
TWO = "by numpy, two bare processes"
BARE = Path(__file__).resolve().parents[1] / "python_peers" / "bare_function.py"
IN_FLIGHT = 2
STARTING_S = 60.0


def _in_a_graph(graph: str) -> Callable[[Run], Measured]:
    def called(run: Run) -> Measured:
        return spending.in_a_graph(run, graphs.GRAPHS / f"{graph}.graph.json", parameters={"keys": str(run.point["keys"])})
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


def _two_processes(run: Run) -> Measured:
    """Batches that this process makes, another's function of numpy's, and its answers back here: two batches are on their way."""
    import pyarrow as pa

    bare = runpy.run_path(str(BARE))
    columns = [pa.array([float(k % least) for k in range(ROWS)]) for least in (101, 97)]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(run.folder / "s"))
        listening.listen()
        listening.settimeout(STARTING_S)
        run.processes.start("bare", [sys.executable, str(BARE), str(run.folder / "s")])
        peer, _ = listening.accept()
    with bare["widened"](peer):
        for _ in range(IN_FLIGHT):
            bare["send"](peer, pa.RecordBatch.from_arrays(columns, schema=bare["PAIR"]))

        def call() -> None:
            if bare["receive"](peer, bare["ANSWER"]) is None:
                raise RunError(f"the function's process has gone; {run.processes.last_words('bare')}")
            bare["send"](peer, pa.RecordBatch.from_arrays(columns, schema=bare["PAIR"]))
        call()
        return _looped(lambda _: call)(run)


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
    Two bare processes are one of Python's that makes batches of 4,096 rows as Arrow and one that calls the function of numpy's,
    with a Unix socket between them. The bare loops call the same, in one process, on lists that are there. Processor time is that
    of the JVM and of Python's process.""",
    subjects=(Subject(LOOP, _looped(_rows), 0), Subject(ROW, _in_a_graph("python_row")),
              Subject(NUMPY, _in_a_graph("python_numpy")), Subject(TWO, _two_processes, 1),
              Subject(KEYED_LOOP, _looped(_means), 0), Subject(KEYED, _in_a_graph("python_keyed")),
              Subject(AT_ONCE, _in_a_graph("python_keyed_rows"))),
    metrics=(engine.PER_S, engine.CPU),
    baseline=LOOP,
    full=Plan([FEW, MANY], seconds=6),
    quick=Plan([MANY], repeats=1, warm_up_s=1, seconds=2),
    claims=(_claim(NUMPY, MANY, 4e6), _claim(ROW, MANY, 1.5e6), _claim(KEYED, MANY, 0.8e6), _claim(KEYED, FEW, 1.2e6),
            Claim("by row, of the bare loop", lambda result: result.ratio("per_s", ROW, LOOP, MANY), at_least=0.6),
            Claim("by numpy, of two bare processes", lambda result: result.ratio("per_s", NUMPY, TWO, MANY), at_least=0.5)),
    needs=(java.java_needed,),
)
