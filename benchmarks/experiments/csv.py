"""Text into packets: the DEBS 2012 rows, 18 typed columns of 56."""

from __future__ import annotations

from pathlib import Path

from harness import engine, graphs, java, readings
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject

ROWS_PER_S = Metric("per_s", "rows/s")
MB_PER_S = Metric("mb_per_s", "MB/s of text")
OURS, SPARKS = "byte-level reader", "Spark's parser"
POINT = {"columns": 18}
COPIES = 20


def ours(run: Run) -> Measured:
    """What the engine does with such lines."""
    return _read(run, "NaN")


def sparks(run: Run) -> Measured:
    """The same lines by Catalyst and Univocity, which the engine asks where it is not sure: here an option makes it unsure."""
    return _read(run, "nan")


def _read(run: Run, nan: str) -> Measured:
    rows = _rows(run.lab)
    report = engine.timed(run, graphs.GRAPHS / "csv.graph.json", parameters={"input": str(rows), "nan": nan},
                          wrapped=engine.on_one_core)
    found = engine.measured(report)
    lines = len(readings.path().read_bytes().splitlines())
    bytes_per_row = readings.path().stat().st_size / lines
    return Measured({**found.values, MB_PER_S.name: found.values["per_s"] * bytes_per_row / 1e6}, report)


def _rows(lab: Path) -> Path:
    """The real rows, so often that opening the file does not count."""
    path = lab / "readings.txt"
    if not path.is_file():
        path.write_bytes(readings.path().read_bytes() * COPIES)
    return path


EXPERIMENT = Experiment(
    name="csv",
    doc="""The 17,000 rows of the DEBS 2012 sample over and over, from the page cache: `ts TIMESTAMP, index BIGINT` and 16 INT
    columns typed, all 56 counted, dropped by a sink in the same task; the whole engine on one core. That both readers give the
    same packets is held by tests over random lines.""",
    subjects=(Subject(SPARKS, sparks, 4), Subject(OURS, ours)),
    metrics=(ROWS_PER_S, engine.CPU, MB_PER_S),
    baseline=SPARKS,
    full=Plan([POINT], warm_up_s=6, seconds=6),
    quick=Plan([POINT], repeats=1, warm_up_s=4, seconds=3),
    claims=(Claim("rows/s on one core", lambda result: result.estimate("per_s", OURS, POINT), at_least=2e6),),
    needs=(java.java_needed, engine.taskset_needed, readings.needed),
)
