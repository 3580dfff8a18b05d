"""What the same configuration costs, and how late packets are, from ten thousand to four million packets per second."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from harness import bare, engine, java
from harness.experiment import Claim, Experiment, Plan, Published, Subject
from harness.paced import at, relay
from harness.result import Result
from harness.stats import Estimate

RATES = (10_000, 20_000, 100_000, 500_000, 1_000_000, 4_000_000)
KEPT_UP = 0.99


def _p99(rate_per_s: int) -> Callable[[Result], Estimate | None]:
    return lambda result: result.estimate("p99_ms", "despina", at(rate_per_s))


def _greatest_step(result: Result) -> float | None:
    """The greatest quotient of the cost at a rate and at the rate before it: under 1 the cost falls all the way."""
    costs = [result.median("cpu_s_per_million", "despina", at(rate)) for rate in RATES]
    found = [cost for cost in costs if cost]
    return max(b / a for a, b in itertools.pairwise(found)) if len(found) > 1 else None


def _kept_up(result: Result) -> float | None:
    """The least share of the asked rate that arrived."""
    shares = [per_s / rate for rate in RATES if (per_s := result.median("per_s", "despina", at(rate))) is not None]
    return min(shares) if shares else None


EXPERIMENT = Experiment(
    name="mid_rate",
    doc="""50-byte packets at fixed rates, source to sink over two TCP hops between two JVMs, one configuration (the
    defaults) for all: CPU-seconds per million packets and latency from due times, beside the bare relay at the same rates, and
    beside that with one thread hand-off in it.""",
    subjects=(
        Subject(bare.RELAY, bare.paced, 0.8),
        Subject(bare.HAND_OFF, bare.paced_with_hand_off, 0.8),
        Subject("despina", relay, 3),
    ),
    metrics=(engine.PER_S, engine.CPU, engine.P50, engine.P99, engine.SWITCHES),
    baseline=bare.RELAY,
    compared="cpu_s_per_million",
    full=Plan([at(rate) for rate in RATES], warm_up_s=8, seconds=8),
    quick=Plan([at(20_000), at(1_000_000)], repeats=1, warm_up_s=1.5, seconds=1.5),
    published=(
        Published("PEERS, Flink 2.3 with a timeout of 1 ms, on another machine", "20,000/s: 27 CPU-s per million", 27,
                  "CPU-s per million", lambda result: result.median("cpu_s_per_million", "despina", at(20_000))),
        Published("PEERS, Hazelcast 5.7, on another machine", "20,000/s: 49 CPU-s per million", 49,
                  "CPU-s per million", lambda result: result.median("cpu_s_per_million", "despina", at(20_000))),
    ),
    claims=(
        *(Claim(f"{rate:,}/s: p99, ms", _p99(rate), at_most=2.0) for rate in RATES),
        Claim("20,000/s: CPU-seconds per million packets (Flink's 27)",
              lambda result: result.estimate("cpu_s_per_million", "despina", at(20_000)), at_most=27),
        Claim("greatest quotient of the cost at a rate and at the rate before it", _greatest_step, at_most=1.0),
        Claim("least share of the asked rate that arrived", _kept_up, at_least=KEPT_UP),
    ),
    needs=(java.compiler_needed,),
    remarks="""From 500,000/s on the 99th percentile is below that of the bare relay with a hand-off in it; under that rate it
    is up to one and a half times as high. What makes it are threads that are to run and wait for a core: by a trace of the
    scheduler at 20,000/s behind the kernel's own threads, compiler threads, the coordinator and its Python process, and while
    the virtual machine was not run at all (docs/design/013). Counters told twice a second were a third of it; since they are
    told to whoever looks, and only then, it is 1.2 to 1.5 ms where it was 2.0 to 2.2 in runs of 10 s after 10 s of warm-up,
    in turns. Compilers are still at work in the windows measured here. Another congestion control than the system's changes
    nothing. Flink's 27 is of another machine; benchmarks/COMPARISON.md has peers on ours.""",
)
