"""NEPTUNE's Fig 5: many jobs at once in the same two resources."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack

from despina.engine import Engine
from despina.job import Job
from harness import graphs, java, sampling, stats
from harness.api import counted, job, pids, session, until
from harness.experiment import Claim, Experiment, Figure, Measured, Metric, Plan, Point, Published, Run, Subject
from harness.plots import Lines, lines
from harness.result import Result
from harness.stats import Estimate

TOTAL = Metric("total_per_s", "packets/s of all jobs")
MBIT = Metric("total_mbit_per_s", "Mbit/s of all jobs")
UNFAIR = Metric("unfairness", "greatest deviation of a job from the mean")
CPU = Metric("cpu_s_per_million", "CPU-s per million")
JOBS = (1, 2, 4, 8, 16, 32, 50, 64)
PACKET_BYTES = 50
DEPLOYMENT = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
              "place": {"source": ["near"], "sink": ["far"]}}


def together(run: Run) -> Measured:
    """So many two-stage jobs, a source in one resource and a sink in the other, all flat out."""
    with session() as engine, ExitStack() as started:
        running = [started.enter_context(job(graphs.relay(PACKET_BYTES, stages=0), engine, deployment=DEPLOYMENT))
                   for _ in range(run.point["jobs"])]
        for each in running:
            until(each, "running")
        time.sleep(run.warm_up_s)
        begin, before = counted(running, "sink")
        cpu = _cpu(engine, running)
        time.sleep(run.seconds)
        end, after = counted(running, "sink")
        cpu = _cpu(engine, running) - cpu
    per_s = [(b - a) / (end - begin) for a, b in zip(before, after, strict=True)]
    mean = sum(per_s) / len(per_s)
    return Measured({TOTAL.name: sum(per_s), MBIT.name: sum(per_s) * PACKET_BYTES * 8 / 1e6,
                     UNFAIR.name: max(abs(each - mean) for each in per_s) / mean,
                     CPU.name: 1e6 * cpu / (sum(per_s) * (end - begin))}, {"per_s": per_s})


def _cpu(engine: Engine, running: Sequence[Job]) -> float:
    return sampling.usage([*pids(running[0]).values(), int(engine.version()["pid"])]).cpu_s


def _at(jobs: int) -> Point:
    return {"jobs": jobs}


def _at_fifty(result: Result) -> Estimate | None:
    """The throughput of 50 jobs, of the best of all numbers of jobs."""
    medians = {jobs: result.median(TOTAL.name, "despina", _at(jobs)) or 0.0 for jobs in JOBS}
    best = max(medians, key=lambda jobs: medians[jobs])
    return result.ratio(TOTAL.name, "despina", "despina", _at(50), _at(best)) if medians[50] else None


def _unfairest(result: Result) -> Estimate | None:
    """At the number of jobs where it is greatest."""
    found = [e for jobs in JOBS if (e := result.estimate(UNFAIR.name, "despina", _at(jobs))) is not None]
    return max(found, key=lambda estimate: estimate.value, default=None)


def _slowest(result: Result) -> Estimate | None:
    """The slowest job's rate, of the fastest's, at the number of jobs where they are furthest apart."""
    found = []
    for jobs in JOBS:
        rates = [repeat.raw["per_s"] for repeat in result.kept("despina", _at(jobs)).values()]
        if rates:
            found.append(stats.median([min(per_s) / max(per_s) for per_s in rates]))
    return min(found, key=lambda estimate: estimate.value, default=None)


EXPERIMENT = Experiment(
    name="jobs",
    doc="""1 to 64 jobs at once in the same two resources, each a source in one and a sink in the other, 50-byte packets
    flat out: throughput and bandwidth of all of them together, and how far a job's rate is from the mean of all.""",
    subjects=(Subject("despina", together, 5),),
    metrics=(TOTAL, MBIT, UNFAIR, CPU),
    full=Plan([_at(jobs) for jobs in JOBS], warm_up_s=6, seconds=8),
    quick=Plan([_at(1), _at(16)], repeats=1, warm_up_s=2, seconds=4),
    published=(Published("001 NEPTUNE, Fig 5", "cumulative throughput rises to 50 jobs", None, "packets/s of 50 jobs",
                         lambda result: result.median(TOTAL.name, "despina", _at(50))),),
    claims=(
        Claim("throughput of 50 jobs, of the best", _at_fifty, at_least=0.85),
        Claim("greatest deviation of a job's rate from the mean, at any number of jobs", _unfairest, at_most=0.2),
        Claim("the slowest job's rate, of the fastest's, at any number of jobs", _slowest, at_least=0.8),
    ),
    figures=(Figure("throughput", lines(
        Lines("jobs", TOTAL, scale=1e-6, y_label="M packets/s of all jobs", title="throughput"),
        Lines("jobs", MBIT, scale=1e-3, y_label="Gbit/s of all jobs", title="bandwidth"),
        Lines("jobs", UNFAIR, title="fairness")), (13, 4)),),
    needs=(java.java_needed,),
    remarks="""With two jobs each core has one source and one sink, and what is sent is read while it is still in the cache.
    With more of them a packet lies longer between its writing and the copies into and out of the socket: by a profile these
    copies take two to four times as long per packet with 50 jobs, and nothing else grows as much. From 8 jobs to 64
    throughput stays as it is. Repeats at the same number of jobs are up to a third apart on a shared machine, which is why
    the interval is wide.""",
)
