"""NEPTUNE's Table I: what waking a task per segment, and not per packet, saves."""

from __future__ import annotations

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Published, Run, Subject

PER_5_S = Metric("switches_per_5_s", "context switches of the relay per 5 s")
BUFFER_BYTES = 1 << 20
UNBATCHED = "unbatched"
BATCHED = "batched"
FEWER = 22
THEIRS = (4085, 89_952)


def batched(run: Run) -> Measured:
    """A task is woken per segment."""
    return _measured(run, True)


def unbatched(run: Run) -> Measured:
    """A task is woken per packet; buffers are the same."""
    return _measured(run, False)


def _measured(run: Run, batch: bool) -> Measured:
    settings = {"buffer": {"capacity_bytes": BUFFER_BYTES}, "batch_scheduling": batch}
    report = engine.timed(run, graphs.relay(run.point["packet_bytes"], settings=settings), graphs.RELAY_APART)
    found = engine.measured(report)
    per_s = report["resources"]["far"]["context_switches"] / report["measured_s"]
    values = {name: found.values[name] for name in ("per_s", "cpu_s_per_million")}
    return Measured({**values, PER_5_S.name: 5 * per_s, "per_thousand": 1000 * per_s / found.values["per_s"]}, report)


EXPERIMENT = Experiment(
    name="context_switches",
    doc="""The process of the relay, 50-byte packets, buffers of 1 MB, flat out: context switches of all its threads,
    voluntary and not, with batched scheduling (a task is woken once per segment and walks it) and without
    (`batch_scheduling: false`: a task is handed over and woken per packet; buffers unchanged).""",
    subjects=(Subject(UNBATCHED, unbatched, 3), Subject(BATCHED, batched, 3)),
    metrics=(PER_5_S, Metric("per_thousand", "switches per thousand packets"), engine.PER_S, engine.CPU),
    baseline=UNBATCHED,
    full=Plan([{"packet_bytes": 50}], seconds=10),
    quick=Plan([{"packet_bytes": 50}], repeats=1, warm_up_s=2, seconds=5),
    published=(
        Published("001 NEPTUNE, Table I", "batched: 4,085 per 5 s", THEIRS[0], "per 5 s",
                  lambda result: result.median(PER_5_S.name, BATCHED, {"packet_bytes": 50})),
        Published("001 NEPTUNE, Table I", "unbatched: 89,952 per 5 s", THEIRS[1], "per 5 s",
                  lambda result: result.median(PER_5_S.name, UNBATCHED, {"packet_bytes": 50})),
    ),
    claims=(Claim(f"batched, of the unbatched's switches per 5 s (1/{FEWER})",
                  lambda result: result.ratio(PER_5_S.name, BATCHED, UNBATCHED, {"packet_bytes": 50}), at_most=1 / FEWER),),
    needs=(java.java_needed,),
)
