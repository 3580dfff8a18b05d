"""The relay within one process: source, relay and sink as three tasks, segments handed over through queues."""

from __future__ import annotations

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject

SIZES = (50, 200, 1024, 10240)
LOCAL, ALONE = "despina", "despina, one core"


def local(run: Run) -> Measured:
    """All cores."""
    return _flat_out(engine.timed(run, graphs.relay(run.point["packet_bytes"])))


def one_core(run: Run) -> Measured:
    """The same three tasks in turns on one core."""
    return _flat_out(engine.timed(run, graphs.relay(run.point["packet_bytes"]), wrapped=engine.on_one_core))


def _flat_out(report: engine.Report) -> Measured:
    """Flat out, the age of packets is that of full queues and no latency: left out."""
    found = engine.measured(report)
    return Measured({metric.name: found.values[metric.name] for metric in METRICS}, report)


def _point(packet_bytes: int) -> Point:
    return {"packet_bytes": packet_bytes}


METRICS = (engine.PER_S, engine.CPU, engine.SWITCHES)
EXPERIMENT = Experiment(
    name="local",
    doc="""Source, relay and sink in one process, not fused: two hand-overs through bounded single-producer queues, flat out,
    sequence numbers and sampled payloads verified; on all cores, and held to one.""",
    subjects=(Subject(ALONE, one_core), Subject(LOCAL, local)),
    metrics=METRICS,
    baseline=ALONE,
    full=Plan([_point(size) for size in SIZES], seconds=5),
    quick=Plan([_point(50)], repeats=1, warm_up_s=3, seconds=3),
    claims=(Claim("50 B: packets/s", lambda result: result.estimate("per_s", LOCAL, _point(50)), at_least=40e6),),
    needs=(java.java_needed, engine.taskset_needed),
    remarks="""Held to one core it is faster, at less than two thirds of the processor time: what one task writes the next
    reads in the same core's caches, where on two cores source and sink have one and the relay the other, so that every packet
    crosses twice (docs/design/014).""",
)
