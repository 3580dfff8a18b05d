"""What a Python function costs here, in PyFlink, in Spark and in Bytewax."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from despina import installed
from harness import engine, graphs, java, processes, spending
from harness.api import counted, job, session
from harness.experiment import Experiment, Figure, Measured, Plan, Point, Run, Subject
from harness.plots import bars
from harness.processes import RunError
from harness.spending import Moment

SCRIPTS = Path(__file__).resolve().parents[1] / "python_peers"
OURS = "despina"
BY_ROW, BY_ARRAY, BY_KEY = "by row", "by array", "mean by key"
ONE_BY_ONE = "one at a time"
GRAPHS = {BY_ROW: "python_row", BY_ARRAY: "python_numpy", BY_KEY: "python_keyed"}
KEYS, FEW = 1000, 10
"""In full, and in a quick run, which leaves out the peers that start for longer than it takes."""
WORKS: list[Point] = [{"of": work, "keys": KEYS} for work in (*GRAPHS, ONE_BY_ONE)]
RATE_PER_S = 1_000
"""Of rows that come one at a time."""
FLINK = ("apache-flink==2.3.0",)
BYTEWAX = ("bytewax==0.21.1",)
INSTALLING_S = 900.0
MINUTE = 60.0
"""Of a graph on Spark, whose micro-batches with state take seconds, as warm-up and as what counts, in place of a run's."""
STARTING_S = 20.0
FIRST_ROW_S = 600.0
"""How long a peer may take to start."""
LOOK_S = 0.05
LAST_LINE_S = 2.0
"""How long a meter's first line behind the window is waited for, at most: without it rows between two lines would be missing."""


@functools.cache
def _missing(requirements: tuple[str, ...]) -> str:
    """Makes a virtual environment with these if it is not there; asked for once in a process, since a registry that cannot be
    reached is waited for.

    :return: why it cannot be made; empty if it is there
    """
    folder = _environment(requirements)
    mark = folder / "ready"
    if mark.exists():
        return ""
    for command in ([sys.executable, "-m", "venv", "--clear", str(folder)],
                    [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *requirements]):
        try:
            made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALLING_S)
        except subprocess.TimeoutExpired:
            return f"it takes more than {INSTALLING_S:g} s"
        if made.returncode != 0:
            return (made.stderr.strip() or made.stdout.strip())[-500:]
    mark.touch()
    return ""


def _environment(requirements: tuple[str, ...]) -> Path:
    return processes.cache() / "python_peers" / "-".join(requirements).replace("==", "-")


def python(requirements: tuple[str, ...]) -> str:
    """The interpreter of a virtual environment with these, made at first use and kept in the cache folder.

    :raise RunError: they cannot be installed here
    """
    if why := _missing(requirements):
        raise RunError(f"skipped: {', '.join(requirements)} cannot be installed for {sys.executable}: {why}")
    return str(_environment(requirements) / "bin" / "python")


def _ours(run: Run) -> Measured:
    if run.point["of"] == ONE_BY_ONE:
        return _ours_one_by_one(run)
    return spending.in_a_graph(run, graphs.GRAPHS / f"{GRAPHS[run.point['of']]}.graph.json",
                               parameters={"keys": str(run.point["keys"])})


def _ours_one_by_one(run: Run) -> Measured:
    """Relay packets, which have their due time, through the function that peers call."""
    meters = run.folder / "meters"
    meters.mkdir()
    called = {"type": "python", "function": "functions:Aged", "adds": "f DOUBLE"}
    source = {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50}, "rate_per_s": RATE_PER_S}
    operators = {"source": source, "called": called, "sink": {"type": "discard_sink"}}
    links = [{"from": "source", "to": "called", "fuse": False}, {"from": "called", "to": "sink", "fuse": False}]
    graph = {"format": 1, "name": "one_by_one", "operators": operators, "links": links}
    with _told(DESPINA_METERS=str(meters)), session() as started, job(graph, started, modules=[SCRIPTS]) as running:
        counted([running], "sink")
        found = _told_by(run, meters, *_window(run, meters))
    if found is None:
        raise RunError(f"{OURS} has called no function within {run.seconds:g} s")
    return found


@contextlib.contextmanager
def _told(**variables: str) -> Iterator[None]:
    """Processes that are started within the block have these."""
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


def peer(name: str, script: str, requirements: tuple[str, ...] = (), mode: str = "-", at_least_s: float = 0.0
         ) -> Callable[[Run], Measured]:
    """Measures a job of a peer's by what its function's meters tell.

    :param mode: what the script is told of how to run
    :param at_least_s: how long warm-up and what counts have to last each
    """
    def measured(run: Run) -> Measured:
        interpreter = python(requirements) if requirements else sys.executable
        meters = run.folder / "meters"
        meters.mkdir()
        words = [interpreter, str(SCRIPTS / script), run.point["of"], str(run.point["keys"]), mode,
                 str(run.point.get("batch_rows", "-"))]
        # an interpreter within Java's process, as PyFlink's threads have it, does not find its virtual environment by itself
        own = Path(interpreter).parents[1].glob("lib/python*/site-packages")
        path = os.pathsep.join([str(SCRIPTS), *map(str, own), *filter(None, [os.environ.get("PYTHONPATH")])])
        child = run.processes.start(name, words, {"DESPINA_METERS": str(meters), "PYTHONPATH": path,
                                                  "JAVA_HOME": str(installed.find_java().home)})
        limit = time.monotonic() + FIRST_ROW_S
        while not any(meters.iterdir()):
            if child.poll() is not None or time.monotonic() > limit:
                raise RunError(f"{name} has called no function; {run.processes.last_words(name)}")
            time.sleep(LOOK_S)
        window = _window(run, meters, at_least_s)
        if child.poll() is not None:
            raise RunError(f"{name} ended with exit code {child.returncode} while it was measured; "
                           f"{run.processes.last_words(name)}")
        found = _told_by(run, meters, *window)
        if found is None:
            raise RunError(f"{name} has called no function within {run.seconds:g} s; {run.processes.last_words(name)}")
        return found
    return measured


def _window(run: Run, meters: Path, at_least_s: float = 0.0) -> tuple[Moment, Moment]:
    """The run's seconds, behind its warm-up; each of them may have to last so long."""
    time.sleep(max(run.warm_up_s, at_least_s))
    began = spending.look(run)
    time.sleep(max(run.seconds, at_least_s))
    ended = spending.look(run)
    _await_last_lines(meters, began.at_s, ended.at_s, max(LAST_LINE_S, at_least_s))
    return began, ended


def _told_by(run: Run, meters: Path, began: Moment, ended: Moment) -> Measured | None:
    """What a function's meters tell of the time between; None if it was not called then."""
    ages: list[float] = []
    if run.point["of"] == ONE_BY_ONE:
        ages = sorted(age for meter in meters.iterdir() for age in ages_within(meter, began.at_s, ended.at_s))
        rows = float(len(ages))
    else:
        rows = sum(rows_until(meter, ended.at_s) - rows_until(meter, began.at_s) for meter in meters.iterdir())
    if rows <= 0:
        return None
    found = spending.figures(began, ended, rows)
    return Measured({**found.values, **_percentiles(ages)}, found.raw)


def _await_last_lines(meters: Path, began: float, ended: float, most_s: float) -> None:
    """Until each meter that has written within the window has written behind it; its process may have gone, so not for ever."""
    limit = time.monotonic() + most_s
    while any(began < last_line(meter) <= ended for meter in meters.iterdir()) and time.monotonic() < limit:
        time.sleep(LOOK_S)


def last_line(meter: Path) -> float:
    """When a meter has written last; 0 for one that has not."""
    lines = meter.read_text().splitlines(keepends=True)
    return next((float(line.split()[0]) for line in reversed(lines) if line.endswith("\n")), 0.0)


def ages_within(meter: Path, began: float, ended: float) -> list[float]:
    """How old the rows were in milliseconds that a function was called with after one moment, up to another."""
    lines = [line.split() for line in meter.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [float(age) for at, age in lines if began < float(at) <= ended]


def _percentiles(ages: Sequence[float]) -> dict[str, float]:
    """Of ages in order; none of none."""
    return {metric.name: ages[math.ceil(share * len(ages)) - 1] for metric, share in ((engine.P50, 0.5), (engine.P99, 0.99))
            if ages}


def rows_until(meter: Path, moment: float) -> float:
    """How many rows a meter has had then, between its lines in proportion; none before its first."""
    before = (0.0, 0.0)
    for line in meter.read_text().splitlines():
        with contextlib.suppress(ValueError):       # of a line that is being written
            at, rows = map(float, line.split())
            if at > moment:
                return before[1] + (rows - before[1]) * (moment - before[0]) / (at - before[0]) if before[0] else 0.0
            before = at, rows
    return before[1]


def _in_full(point: Point) -> bool:
    return bool(point["keys"] == KEYS)


def _has_rows(point: Point) -> bool:
    return bool(point["of"] != BY_ARRAY)


def _in_full_by_key(point: Point) -> bool:
    return _in_full(point) and bool(point["of"] == BY_KEY)


def _in_full_with_rows(point: Point) -> bool:
    return _in_full(point) and _has_rows(point)


EXPERIMENT = Experiment(
    name="python_peers",
    doc="""One instance of each: rows that the engine makes, a function of Python's, a sink that keeps nothing. By row and by
    array it is `a * 1.8 + 32 if a > b else b` of two doubles, by key a mean with a count and a total for each of 1,000 keys.
    One at a time, 1,000 rows come each second, and latency is the age at which the function is called with a row: since it was
    due, or since PyFlink's source made it, which the function tells in whole milliseconds there.
    Despina's rows are counted at its sink. Peers' functions count what they are called with, at the cost of some tens of
    nanoseconds a row. Processor time and memory are those of all processes, Java's and Python's. PyFlink 2.3 runs functions
    in processes of its own, or in Java's (thread mode, which has no function of arrays); its rows of two doubles are random
    ones, which its own source makes. Spark's batch has them as Arrow's functions, its stream by `transformWithState`.
    A graph of ours on Spark as a stream, in micro-batches of 20,000 rows, has the mean by key by our function, which the
    engine's operator calls within Spark's JVM, and by `scan`, the engine's fold there, which calls none.
    Bytewax 0.21 is one process whose source repeats rows that are there. PyFlink and Bytewax are installed into virtual
    environments of their own at first use.""",
    subjects=(Subject(OURS, _ours, 4),
              Subject("pyflink, process", peer("pyflink", "flink_job.py", FLINK, "process"), 25, at=_in_full),
              Subject("pyflink, thread", peer("pyflink", "flink_job.py", FLINK, "thread"), 20,
                      at=_in_full_with_rows),
              Subject("spark", peer("spark", "spark_job.py"), 20, at=_in_full),
              *(Subject(f"{OURS} on spark, {mode}", peer("on spark", "graph_on_spark.py", mode=mode, at_least_s=MINUTE),
                        seconds=lambda point, plan: 2 * MINUTE + STARTING_S, at=_in_full_by_key)
                for mode in ("function", "fold")),
              Subject("bytewax", peer("bytewax", "bytewax_job.py", BYTEWAX), 3, at=_has_rows)),
    metrics=(engine.PER_S, engine.CPU, spending.RESIDENT, engine.P50, engine.P99),
    baseline=OURS,
    full=Plan(WORKS, seconds=6),
    quick=Plan([{"of": BY_ROW, "keys": FEW}], repeats=1, warm_up_s=2, seconds=2),
    figures=(Figure("throughput", bars(engine.PER_S, "of")),),
    needs=(java.java_needed,),
)
