"""The work that every engine does: what is asked at which points, what is measured, how much of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness import Metric, Plan

PER_S = Metric("per_s", "packets/s")
CPU = Metric("cpu_s_per_million", "CPU-s per million")
MBIT = Metric("mbit_per_s", "Mbit/s on the wire")
WIRE = Metric("wire_bytes_per_packet", "bytes on the wire per packet")
P50 = Metric("p50_ms", "p50 ms")
P95 = Metric("p95_ms", "p95 ms")
P99 = Metric("p99_ms", "p99 ms")
P999 = Metric("p999_ms", "p99.9 ms")
RESIDENT = Metric("resident_mb", "resident MB")
REORDERED = Metric("reordered", "reordered")
MISSING = Metric("missing", "missing")

EVENTS = Metric("per_s", "events/s")
LIVE = Metric("live_mb", "live heap MB at the end")
LIVE_GROWTH = Metric("live_growth_mb", "live heap: growth MB")
RESIDENT_GROWTH = Metric("resident_growth_mb", "resident: growth MB")
SOCKETS = Metric("socket_mb", "kernel socket MB, greatest")
IDLE_CPU = Metric("idle_cpu_percent", "operators' CPU, % of one core")
ALL_CPU = Metric("all_cpu_percent", "all processes' CPU, % of one core")
SLOWEST = Metric("slowest_share", "slowest job, of the mean")
CPU_PERCENT = Metric("cpu_percent", "CPU, % of one core")
READINGS = Metric("per_s", "readings/s of all jobs")

SIZES = (50, 100, 200, 400, 1024, 4096, 10240)
RATES = (1_000, 20_000, 200_000)
JOBS = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True)
class Work:
    """One work.

    :ivar compared: the metric of the ratio to Despina's row
    :ivar verified: how a row's output was verified before it counts
    """

    name: str
    doc: str
    metrics: Sequence[Metric]
    compared: str
    full: Plan
    quick: Plan
    verified: str


RELAY = Work(
    "relay",
    "Source and sink in one JVM, the relay in another, both hops TCP, flat out, at most once.",
    (PER_S, CPU, MBIT, WIRE, RESIDENT, REORDERED, MISSING), "per_s",
    Plan([{"packet_bytes": size} for size in SIZES], repeats=3, warm_up_s=10, seconds=15),
    Plan([{"packet_bytes": 50}], repeats=1, warm_up_s=4, seconds=5),
    "every sequence number, and the payload of every 16th packet",
)

PACED = Work(
    "rates",
    "The same relay at fixed rates of 50-byte packets; latency from the time at which each packet was due, source to sink.",
    (P50, P95, P99, P999, CPU, PER_S, REORDERED, MISSING), "p99_ms",
    Plan([{"packet_bytes": 50, "rate_per_s": rate} for rate in RATES], repeats=3, warm_up_s=10, seconds=15),
    Plan([{"packet_bytes": 50, "rate_per_s": 20_000}], repeats=1, warm_up_s=4, seconds=5),
    "every sequence number, and the payload of every 16th packet",
)

MANUFACTURING = Work(
    "manufacturing",
    """DEBS 2012, query 1, as NEPTUNE ran it: twelve operators between a file of readings (source and parser in one JVM) and a
    file of delays, and so many such jobs at once. Throughput is of all jobs together, counted where the readings arrive at the
    first operator after the parser; a job that reaches the end of its input within the window counts up to there.""",
    (READINGS, CPU, MBIT, SLOWEST, CPU_PERCENT, RESIDENT), "per_s",
    Plan([{"jobs": jobs, "rows": 4_000_000} for jobs in JOBS], repeats=3, warm_up_s=5, seconds=15),
    Plan([{"jobs": jobs, "rows": 1_000_000} for jobs in (1, 4)], repeats=1, warm_up_s=2, seconds=4),
    "all rows put out, against those of a run of Despina in one process, which its tests hold to an independent oracle",
)

FIXED_WINDOW = Work(
    "fixed_window",
    """HiBench's fixed window: of visits by 10,000 addresses, per address and 30 s of event time the first time and the count.
    Source and sink in one JVM, the window in another. Peers count in a hash map of our own, which costs less than their own
    windows.""",
    (EVENTS, CPU, MBIT, RESIDENT), "per_s",
    Plan([{}], repeats=3, warm_up_s=10, seconds=15),
    Plan([{}], repeats=1, warm_up_s=4, seconds=5),
    "every window that was put out: its rows, the sum of counts, the sum of first times",
)

WORD_COUNT = Work(
    "word_count",
    """HiBench's word count: lines of ten words, read into memory and sent again and again, are split, and each word gives a row
    with its new count. Source and sink in one JVM, splitting and counting in another.""",
    (EVENTS, CPU, MBIT, RESIDENT), "per_s",
    Plan([{}], repeats=3, warm_up_s=10, seconds=15),
    Plan([{}], repeats=1, warm_up_s=4, seconds=5),
    "peers: each word's counts are 1, 2, 3 …; Despina: the same graph over the lines once, against Python's count",
)

SLOW_SINK = Work(
    "slow_sink",
    """The relay flat out into a sink that sleeps 1 ms per packet: what is queued, and whether memory stays flat. Live memory is
    what a full collection leaves, at the window's begin and at its end.""",
    (PER_S, LIVE, LIVE_GROWTH, RESIDENT, RESIDENT_GROWTH, SOCKETS, REORDERED, MISSING), "live_growth_mb",
    Plan([{"packet_bytes": 1024, "sleep_ms": 1}], repeats=3, warm_up_s=10, seconds=60),
    Plan([{"packet_bytes": 1024, "sleep_ms": 1}], repeats=1, warm_up_s=4, seconds=10),
    "every sequence number, and the payload of every 16th packet",
)

IDLE = Work(
    "idle",
    "The relay deployed, and no packet: processor time of the operators' processes, and of all processes of the engine.",
    (IDLE_CPU, ALL_CPU, RESIDENT), "idle_cpu_percent",
    Plan([{"packet_bytes": 50, "rate_per_s": -1}], repeats=3, warm_up_s=15, seconds=20),
    Plan([{"packet_bytes": 50, "rate_per_s": -1}], repeats=1, warm_up_s=5, seconds=5),
    "nothing to verify",
)

WORKS = {work.name: work for work in (RELAY, PACED, MANUFACTURING, FIXED_WINDOW, WORD_COUNT, SLOW_SINK, IDLE)}
