"""What a Python function's process costs while no row comes."""

from __future__ import annotations

import time

from harness import graphs, java, sampling, silent
from harness.api import job, session, until
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject

SHARE = Metric("core_percent", "% of one core")
RESIDENT = Metric("resident_mb", "resident MB")
POINT = {"takes": "row"}
PROGRAM = "despina_worker.zip"


def _graph() -> graphs.Json:
    rows = {"type": "select", "select": ["CAST(id AS DOUBLE) AS a", "CAST(id AS DOUBLE) AS b"]}
    called = {"type": "python", "function": "measured_functions:by_row", "adds": "f DOUBLE"}
    return silent.silent({"format": 1, "name": "python_idle", "operators": {
        "source": {"type": "generator_source", "rows": rows}, "called": called, "sink": {"type": "discard_sink"}},
        "links": [{"from": "source", "to": "called"}, {"from": "called", "to": "sink"}]})


def _idle(run: Run) -> Measured:
    with session() as engine, job(_graph(), engine, modules=[graphs.GRAPHS]) as running:
        until(running, "running")
        pids = [member.pid for member in run.processes.members()
                if any(word.endswith(PROGRAM) for word in sampling.command_words(member.pid))]
        time.sleep(run.warm_up_s)
        before, began = sampling.usage(pids), time.monotonic()
        time.sleep(run.seconds)
        after, seconds = sampling.usage(pids), time.monotonic() - began
    return Measured({SHARE.name: 100 * (after.cpu_s - before.cpu_s) / seconds, RESIDENT.name: after.resident_bytes / 1e6},
                    {"processes": len(pids)})


EXPERIMENT = Experiment(
    name="python_idle",
    doc="""A graph with a function of Python's is deployed and no row comes: processor time and memory of the function's process
    alone, which has the interpreter and pyarrow.""",
    subjects=(Subject("despina", _idle, 4),),
    metrics=(SHARE, RESIDENT),
    full=Plan([POINT], warm_up_s=2, seconds=20),
    quick=Plan([POINT], repeats=1, warm_up_s=1, seconds=8),
    claims=(Claim("an idle process, % of one core", lambda result: result.estimate(SHARE.name, "despina", POINT), at_most=0.3),),
    needs=(java.java_needed,),
)
