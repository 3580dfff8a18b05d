"""How old packets of 10 KB are that take nine tenths of a link of 1 Gbit/s."""

from __future__ import annotations

from harness import engine, graphs, hosts, java
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Published, Run, Subject

PACKET_BYTES = 10240
SHARE = 0.9
LINK = 1e9
POINT = {"packet_bytes": PACKET_BYTES, "share": SHARE}
THEIRS_MS = 87.8
ARRIVED = Metric("arrived", "of the rate, arrived")


def paced(run: Run) -> Measured:
    """Both hops of the relay over one loopback that carries twice the link."""
    rate = SHARE * LINK / 8 / PACKET_BYTES
    with hosts.shaped_loopback(f"{2 * LINK:.0f}bit") as wrapped:
        report = engine.timed(run, graphs.relay(PACKET_BYTES, rate_per_s=rate), graphs.RELAY_APART, wrapped=wrapped)
    values = engine.measured(report).values
    ages = {f"{name}_ms": value for name, value in report["packet_latency_ms"]["sink"].items() if name.startswith("p9")
            or name in ("p50", "max")}
    return Measured({**ages, ARRIVED.name: values["per_s"] / rate, "mbit_per_s": values["mbit_per_s"]}, report)


EXPERIMENT = Experiment(
    name="link_age",
    doc=f"""The relay in two processes, packets of {PACKET_BYTES:,} bytes at {SHARE} of what a link of 1 Gbit/s carries, by
    the age of each packet from its due time. The links are one shaped loopback (a namespace, tc tbf) of 2 Gbit/s, which a
    packet passes twice.""",
    subjects=(Subject("despina", paced, 3),),
    metrics=(engine.P50, engine.P99, engine.P999, engine.MBIT, ARRIVED),
    full=Plan([POINT], warm_up_s=5, seconds=15),
    quick=Plan([POINT], repeats=1, warm_up_s=2, seconds=4),
    published=(Published("001 NEPTUNE, conclusion", "99 % of packets of 10 KB within 87.8 ms", THEIRS_MS, "ms p99",
                         lambda result: result.median("p99_ms", "despina", POINT)),),
    claims=(Claim("99 % of packets within, ms", lambda result: result.estimate("p99_ms", "despina", POINT), at_most=THEIRS_MS),
            Claim("of the rate, arrived", lambda result: result.estimate(ARRIVED.name, "despina", POINT), at_least=0.99)),
    needs=(java.java_needed, hosts.needed),
)
