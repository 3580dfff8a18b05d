"""How old packets are when they reach the sink, where rates are low."""

from __future__ import annotations

from collections.abc import Callable

from harness import bare, engine, java
from harness.experiment import Claim, Experiment, Figure, Plan, Published, Subject
from harness.paced import at, relay
from harness.plots import percentiles
from harness.result import Result
from harness.stats import Estimate

RATES = (100, 20_000)


def _found(metric: str, rate_per_s: int) -> Callable[[Result], Estimate | None]:
    return lambda result: result.estimate(metric, "despina", at(rate_per_s))


def _to_hand_off(metric: str, rate_per_s: int) -> Callable[[Result], Estimate | None]:
    return lambda result: result.ratio(metric, "despina", bare.HAND_OFF, at(rate_per_s))


EXPERIMENT = Experiment(
    name="latency",
    doc="""50-byte packets at a fixed rate, source to sink over two TCP hops between two JVMs, all defaults: from each
    packet's due time (start + i / rate), so a source that stalls cannot hide it. Beside it the bare relay, blocking NIO
    with a thread per role, and the same with one thread hand-off in the relay.""",
    subjects=(
        Subject(bare.RELAY, bare.paced, 0.8),
        Subject(bare.HAND_OFF, bare.paced_with_hand_off, 0.8),
        Subject("despina", relay, 3),
    ),
    metrics=(engine.P50, engine.P95, engine.P99, engine.P999, engine.CPU, engine.SWITCHES),
    baseline=bare.HAND_OFF,
    full=Plan([at(rate) for rate in RATES], repeats=7, warm_up_s=10, seconds=10),
    quick=Plan([at(20_000)], repeats=1, warm_up_s=3, seconds=3),
    published=(Published("PEERS, Hazelcast 5.7 untuned, on another machine", "20,000/s: p50 0.60 ms", 0.60, "ms p50",
                         lambda result: result.median("p50_ms", "despina", at(20_000))),
               Published("PEERS, Hazelcast 5.7 untuned, on another machine", "20,000/s: p99 2.63 ms", 2.63, "ms p99",
                         lambda result: result.median("p99_ms", "despina", at(20_000)))),
    claims=(
        Claim("20,000/s: p50, ms", _found("p50_ms", 20_000), at_most=0.3),
        Claim("20,000/s: p99, ms", _found("p99_ms", 20_000), at_most=1.0),
        Claim("100/s: p95, ms", _found("p95_ms", 100), at_most=1.0),
        Claim("20,000/s: p50 in times of the bare relay's with a hand-off", _to_hand_off("p50_ms", 20_000), at_most=2.3),
        Claim("20,000/s: p99 in times of the bare relay's with a hand-off", _to_hand_off("p99_ms", 20_000), at_most=2.5),
        Claim("100/s: p95 in times of the bare relay's with a hand-off", _to_hand_off("p95_ms", 100), at_most=2.5),
    ),
    figures=(Figure("percentiles", percentiles("rate_per_s", "{:,} packets/s"), (10, 4.4)),),
    needs=(java.compiler_needed,),
    remarks="""At 20,000/s the median is Despina's tick: what becomes due within 150 us and the kernel's slack of 50 us
    travels as one frame. The 99th percentile of all three is made by threads that are to run and wait for a core. By a trace
    of the scheduler (12 s) Despina's workers waited longer than 0.2 ms 1.4 % of the time: behind the kernel's own threads,
    compiler threads, the coordinator and its Python process, counters that were told twice a second (since then only to
    whoever looks, which took a third off that percentile), and while the virtual machine was not run at all
    (docs/design/013). So it is to be read beside the bare relay's with a hand-off in the same run. At 100/s all is processor
    time with cold caches: by a trace 0.23 ms from the source's waking to that of the relay's worker, 0.25 to that of the
    sink's, 0.1 there. The bounds in times of the bare relay's are what the figures by hand come to: 0.30 of 0.13 ms; for
    tails, which scattered from 0.3 to 1.4, 2.5 was chosen.""",
)
