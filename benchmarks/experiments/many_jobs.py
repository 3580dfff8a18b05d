"""ISE's laptop: five thousand operators, as 1,250 jobs at once and as a thousand that join one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import quantiles

from despina.engine import Engine
from despina.job import Job
from harness import graphs, java, sampling
from harness.api import job, pids, session, until
from harness.experiment import Experiment, Measured, Metric, Plan, Point, Published, Run, Subject

AT_ONCE, JOINING = "at once", "one after the other"
JOBS = {AT_ONCE: 1250, JOINING: 1000}
STARTERS = 8
OPERATORS = 4
START = Metric("start_s", "seconds until all run")
EACH = Metric("each_ms", "ms for a job that joins, p99")
RESIDENT = Metric("resident_mb", "resident MB")
CORE = Metric("core_percent", "% of one core")
LATE = Metric("latest_ms", "ms, the slowest packet of 99 % of the jobs")
MEMORY_BYTES = 1 << 30
DEPLOYMENT = {"format": 1, "resources": {"only": {"start": "child", "memory_bytes": MEMORY_BYTES}}, "place": {"*": ["only"]}}
GRAPH = graphs.relay(50, stages=OPERATORS - 2, rate_per_s=1, verify="none")


def _subject(how: str) -> Callable[[Run], Measured]:
    def jobs(run: Run) -> Measured:
        with session() as engine, ExitStack() as started:
            began = time.monotonic()
            running, took_ms = _started(engine, started, how, run.point["share"])
            for each in running:
                until(each, "running")
            start_s = time.monotonic() - began
            processes = [*pids(running[0]).values(), int(engine.version()["pid"])]
            time.sleep(run.warm_up_s)
            before = sampling.usage(processes)
            time.sleep(run.seconds)
            after = sampling.usage(processes)
            slowest = [each.report()["latency_ms"]["sink"]["max"] for each in running]
        return Measured({START.name: start_s, EACH.name: quantiles(took_ms, n=100)[-1], RESIDENT.name: after.resident_bytes / 1e6,
                         CORE.name: 100 * (after.cpu_s - before.cpu_s) / run.seconds, LATE.name: quantiles(slowest, n=100)[-1]})
    return jobs


def _started(engine: Engine, started: ExitStack, how: str, share: float) -> tuple[list[Job], list[float]]:
    """The jobs, and how many milliseconds each took to be accepted, or to run where they join one after the other."""
    took: list[float] = []

    def start(_: int) -> Job:
        began = time.monotonic()
        made = started.enter_context(job(GRAPH, engine, deployment=DEPLOYMENT))
        if how == JOINING:
            until(made, "running")
        took.append(1e3 * (time.monotonic() - began))
        return made

    count = round(share * JOBS[how])
    with ThreadPoolExecutor(STARTERS if how == AT_ONCE else 1) as threads:
        return list(threads.map(start, range(count))), took


def _seconds(point: Point, plan: Plan) -> float:
    return float(8 + 60 * point["share"] + plan.warm_up_s + plan.seconds)


def _at(share: float) -> Point:
    return {"share": share}


EXPERIMENT = Experiment(
    name="many_jobs",
    doc=f"""Jobs of {OPERATORS} operators, none fused, each with a packet a second, all in one process: {JOBS[AT_ONCE]:,}
    started by {STARTERS} threads at once, and {JOBS[JOINING]:,} of which each begins when the one before runs. How long that
    takes, what both JVMs take of memory and processor time, and how old the slowest packet of 99 % of the jobs was at its
    sink.""",
    subjects=tuple(Subject(how, _subject(how), seconds=_seconds) for how in JOBS),
    metrics=(START, EACH, RESIDENT, CORE, LATE),
    full=Plan([_at(1.0)], repeats=1, warm_up_s=5, seconds=15),
    long=Plan([_at(1.0)], repeats=3, warm_up_s=5, seconds=15),
    quick=Plan([_at(0.04)], repeats=1, warm_up_s=1, seconds=3),
    published=(Published("002 ISE", "5,000 operators on one laptop", 5000, "operators, as 1,250 jobs",
                         lambda result: OPERATORS * JOBS[AT_ONCE] if result.median(START.name, AT_ONCE, _at(1.0)) else None),),
    needs=(java.java_needed,),
    remarks="""One round, of which no claim is made: it starts more than two thousand jobs. The long plan has three.""",
)
