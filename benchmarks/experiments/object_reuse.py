"""NEPTUNE III-B3: what it saves to make no object per packet."""

from __future__ import annotations

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Published, Run, Subject

GC = Metric("gc_percent", "% of time in GC")
ALLOCATED = Metric("allocated_bytes_per_packet", "bytes allocated per packet")
ON, OFF = "reuse", "an object per packet"
POINT = {"packet_bytes": 50}


def reuse(run: Run) -> Measured:
    """One view walks all packets."""
    return _measured(run, True)


def no_reuse(run: Run) -> Measured:
    """An object with bytes of its own for each packet."""
    return _measured(run, False)


def _measured(run: Run, reuses: bool) -> Measured:
    """The relay's process alone: source and sink are the same in both."""
    graph = graphs.relay(run.point["packet_bytes"], settings={"object_reuse": reuses})
    report = engine.timed(run, graph, graphs.RELAY_APART)
    found, relay = engine.measured(report), report["resources"]["far"]
    return Measured({
        GC.name: 100 * relay["gc_ms"] / 1e3 / report["measured_s"],
        ALLOCATED.name: relay["allocated_bytes"] / report["operators"]["relay"]["packets_in"],
        "per_s": found.values["per_s"],
        "cpu_s_per_million": found.values["cpu_s_per_million"],
    }, report)


EXPERIMENT = Experiment(
    name="object_reuse",
    doc="""The process of the relay, 50-byte packets, flat out: share of time in garbage collections and heap bytes
    allocated per packet by all its threads, with object reuse and without (`object_reuse: false`: an object with bytes of
    its own per packet).""",
    subjects=(Subject(OFF, no_reuse, 3), Subject(ON, reuse, 3)),
    metrics=(GC, ALLOCATED, engine.PER_S, engine.CPU),
    baseline=OFF,
    compared=ALLOCATED.name,
    full=Plan([POINT], warm_up_s=10, seconds=10),
    quick=Plan([POINT], repeats=1, warm_up_s=3, seconds=5),
    published=(
        Published("001 NEPTUNE, III-B3", "8.63 % of time in GC without reuse", 8.63, "% of time in GC",
                  lambda result: result.median(GC.name, OFF, POINT)),
        Published("001 NEPTUNE, III-B3", "0.79 % with reuse", 0.79, "% of time in GC",
                  lambda result: result.median(GC.name, ON, POINT)),
    ),
    claims=(
        Claim("with reuse, bytes allocated per packet", lambda result: result.estimate(ALLOCATED.name, ON, POINT), at_most=0.1),
        Claim("with reuse, % of time in GC", lambda result: result.estimate(GC.name, ON, POINT), at_most=0.1),
    ),
    needs=(java.java_needed,),
)
