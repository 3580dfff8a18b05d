"""Whether a packet costs the same after ten minutes as after two."""

from __future__ import annotations

import itertools

from harness import graphs, java, sampling, series
from harness.api import follow, job, pids, session, until
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject

MINUTES = 10
EVERY_S = 0.25
COST_LAST = Metric("last_cpu_s_per_million", "last minute: CPU-s per million")
COST_SECOND = Metric("second_cpu_s_per_million", "second minute")
RATIO = Metric("last_to_second", "last / second")
PER_S = Metric("per_s", "packets/s")
RESIDENT = Metric("resident_growth_mb", "resident MB grown since the second minute")
POINT = {"packet_bytes": 50}


def flat_out(run: Run) -> Measured:
    """One relay job; its two resources are looked at from outside, in ten parts (minutes in the full plan)."""
    with session() as engine, job(graphs.relay(run.point["packet_bytes"]), engine, deployment=graphs.RELAY_APART) as running:
        until(running, "running")
        both = list(pids(running).values())

        def look(status: object) -> list[float]:
            usage = sampling.usage(both)
            return [usage.cpu_s, usage.resident_bytes]

        found = follow(running, [("sink", "packets_in")], run.warm_up_s + run.seconds, (look, EVERY_S))
    cpu = [[t, values[0]] for t, values in found["looks"]]
    resident = [[t, values[1]] for t, values in found["looks"]]
    borders = [run.warm_up_s + run.seconds * k / MINUTES for k in range(MINUTES + 1)]
    last = found["sink"][-1][0]
    minutes = [_minute(cpu, found["sink"], begin, min(end, last)) for begin, end in itertools.pairwise(borders)]
    cost = [minute["cpu_s_per_million"] for minute in minutes]
    return Measured({
        RATIO.name: cost[-1] / cost[1], COST_SECOND.name: cost[1], COST_LAST.name: cost[-1],
        PER_S.name: series.rate(found["sink"], run.warm_up_s, last),
        RESIDENT.name: (resident[-1][1] - series.at(resident, borders[2])) / 1e6,
    }, {"minute_s": run.seconds / MINUTES, "minutes": minutes})


def _minute(cpu: series.Moments, packets: series.Moments, begin: float, end: float) -> dict[str, float]:
    per_s = series.rate(packets, begin, end)
    return {"per_s": per_s, "cpu_s_per_million": 1e6 * series.rate(cpu, begin, end) / per_s}


EXPERIMENT = Experiment(
    name="over_time",
    doc="""The relay of 50-byte packets on two resources, flat out for ten minutes in one job: CPU-seconds per million
    packets of both resources in each minute, and resident memory.""",
    subjects=(Subject("despina", flat_out, 4),),
    metrics=(RATIO, COST_SECOND, COST_LAST, PER_S, RESIDENT),
    full=Plan([POINT], repeats=1, warm_up_s=5, seconds=600, attempts=2),
    quick=Plan([POINT], repeats=1, warm_up_s=2, seconds=20),
    claims=(Claim("CPU-seconds per million in the last minute, of the second's",
                  lambda result: result.estimate(RATIO.name, "despina", POINT), at_most=1.05),),
    needs=(java.java_needed,),
    remarks="One run of ten minutes: its rounds are the minutes.",
)
