"""What a Python function's process costs while no row comes."""

from __future__ import annotations

import time

from harness import graphs, java, sampling
from harness.api import counted, job, session
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject
from harness.processes import RunError

SHARE = Metric("core_percent", "% of one core")
RESIDENT = Metric("resident_mb", "resident MB")
POINT = {"takes": "row"}
PROGRAM = "despina_worker.zip"
ONE_ROW = 1e-4
"""A second: the first comes at once, and the next in three hours."""


def _graph() -> graphs.Json:
    rows = {"type": "select", "select": ["CAST(id AS DOUBLE) AS a", "CAST(id AS DOUBLE) AS b"]}
    called = {"type": "python", "function": "measured_functions:by_row", "adds": "f DOUBLE"}
    return {"format": 1, "name": "python_idle", "operators": {
        "source": {"type": "generator_source", "rows": rows, "rate_per_s": ONE_ROW}, "called": called,
        "sink": {"type": "discard_sink"}},
        "links": [{"from": "source", "to": "called"}, {"from": "called", "to": "sink"}]}


def _idle(run: Run) -> Measured:
    with session() as engine, job(_graph(), engine, modules=[graphs.GRAPHS]) as running:
        counted([running], "sink")      # the process has opened the function, and answered a row
        pids = [member.pid for member in run.processes.members()
                if any(word.endswith(PROGRAM) for word in sampling.command_words(member.pid))]
        if not pids:
            raise RunError("there is no process of a function")
        time.sleep(run.warm_up_s)
        before, began = sampling.usage(pids), time.monotonic()
        time.sleep(run.seconds)
        after, seconds = sampling.usage(pids), time.monotonic() - began
    return Measured({SHARE.name: 100 * (after.cpu_s - before.cpu_s) / seconds, RESIDENT.name: after.resident_bytes / 1e6},
                    {"processes": len(pids)})


EXPERIMENT = Experiment(
    name="python_idle",
    doc="""A graph with a function of Python's is deployed, and behind a first row none comes: processor time and memory of the
    function's process alone, which has the interpreter and pyarrow.""",
    subjects=(Subject("despina", _idle, 4),),
    metrics=(SHARE, RESIDENT),
    full=Plan([POINT], warm_up_s=2, seconds=20),
    quick=Plan([POINT], repeats=1, warm_up_s=1, seconds=6),
    claims=(Claim("an idle process, % of one core", lambda result: result.estimate(SHARE.name, "despina", POINT), at_most=0.3),),
    needs=(java.java_needed,),
)
