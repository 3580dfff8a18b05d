"""ISE's experiment: a step that computes and passes on, and a collector in another process."""

from __future__ import annotations

from dataclasses import replace

from harness import bare, engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Published, Run, Subject

POINT = {"rate_per_s": 1000}
RECORD_BYTES = 50
PLACE = {"source": ["near"], "step": ["far"], "collector": ["near"]}


def graph(rate_per_s: float) -> graphs.Json:
    """Records of five fields; the step adds one made of them; the collector counts."""
    rows = ["id", "concat('sensor-', id % 100) AS sensor", "timestamp_micros(1700000000000000 + id * 1000) AS ts",
            "20 + 5 * sin(id / 50D) AS celsius", "id % 7 AS line"]
    return {
        "format": 1, "name": "two_steps",
        "operators": {
            "source": {"type": "generator_source", "rate_per_s": rate_per_s, "rows": {"type": "select", "select": rows}},
            "step": {"type": "project", "select": ["*", "round(celsius * 9 / 5 + 32, 1) AS fahrenheit"]},
            "collector": {"type": "discard_sink"},
        },
        "links": [{"from": "source", "to": "step", "fuse": False}, {"from": "step", "to": "collector", "fuse": False}],
    }


def two_steps(run: Run) -> Measured:
    """Source and collector in one resource, the step in another."""
    report = engine.timed(run, graph(run.point["rate_per_s"]), graphs.deployment(PLACE))
    return engine.measured(report, sink="collector")


def bare_steps(run: Run) -> Measured:
    """Bytes of about a record's size, there and back, with one thread hand-off at the step."""
    return bare.paced_with_hand_off(replace(run, point={**run.point, "packet_bytes": RECORD_BYTES}))


EXPERIMENT = Experiment(
    name="ise",
    doc="""ISE's two-step graph: records of five fields at 1,000/s to a step that adds a field computed from them, in
    another process, and back to a collector. ISE's latency is from the step's receipt to the collector's; ours is from the
    record's due time at the source, so of one TCP hop more. Beside it the bare relay of 50 bytes with a thread hand-off.""",
    subjects=(Subject(bare.HAND_OFF, bare_steps, 0.8), Subject("despina", two_steps, 6)),
    metrics=(engine.P50, engine.P95, engine.P99, engine.P999, engine.CPU),
    baseline=bare.HAND_OFF,
    full=Plan([POINT], warm_up_s=10, seconds=15),
    quick=Plan([POINT], repeats=1, warm_up_s=4, seconds=5),
    published=(
        Published("002 ISE, Fig 3", "median 1.2 ms", 1.2, "ms", lambda result: result.median("p50_ms", "despina", POINT)),
        Published("002 ISE, Fig 3", "95 % within 3 ms", 3, "ms", lambda result: result.median("p95_ms", "despina", POINT)),
    ),
    claims=(
        Claim("median, ms", lambda result: result.estimate("p50_ms", "despina", POINT), at_most=0.3),
        Claim("95 % within, ms", lambda result: result.estimate("p95_ms", "despina", POINT), at_most=0.8),
    ),
    needs=(java.compiler_needed,),
)
