"""NEPTUNE's Fig 2, and how near the default relay comes to the bare one."""

from __future__ import annotations

from harness import bare, engine, graphs, java
from harness.experiment import Claim, Experiment, Figure, Measured, Plan, Point, Published, Run, Subject
from harness.plots import Lines, lines
from harness.result import Result
from harness.stats import Estimate

DEFAULT_BUFFER = 65536
BUFFERS = (1024, 4096, 16384, DEFAULT_BUFFER, 262144, 1048576)
SIZES = (50, 100, 200, 400, 1024, 4096, 10240)
GRID_SIZES = (50, 1024, 10240)
CLAIMED_SIZES = (50, 200, 1024, 10240)
CEILINGS = {"bare relay": bare.RELAY, "unpaced bare relay": bare.UNPACED}
"""Subjects, by what claims call them."""
PACED = "despina, paced"
PACED_BYTES_PER_S = 25_000_000
PACED_MOST_PER_S = 200_000


def flat_out(run: Run) -> Measured:
    """As fast as it goes. The age of packets is then that of full queues and no latency: left out."""
    found = engine.measured(engine.timed(run, _graph(run.point), graphs.RELAY_APART))
    return Measured({name: value for name, value in found.values.items() if not name.startswith("p")
                     or name == "per_s"}, found.raw)


def paced(run: Run) -> Measured:
    """At a rate that it bears easily: latency."""
    rate = min(PACED_MOST_PER_S, PACED_BYTES_PER_S / run.point["packet_bytes"])
    return engine.measured(engine.timed(run, _graph(run.point, rate), graphs.RELAY_APART))


def _graph(point: Point, rate_per_s: float | None = None) -> graphs.Json:
    settings = {"buffer": {"capacity_bytes": point["buffer_bytes"]}}
    return graphs.relay(point["packet_bytes"], rate_per_s=rate_per_s, settings=settings)


def _point(packet_bytes: int, buffer_bytes: int = DEFAULT_BUFFER) -> Point:
    return {"packet_bytes": packet_bytes, "buffer_bytes": buffer_bytes}


def _has_default_buffer(point: Point) -> bool:
    return bool(point["buffer_bytes"] == DEFAULT_BUFFER)


def _is_claimed(point: Point) -> bool:
    return _has_default_buffer(point) and point["packet_bytes"] in CLAIMED_SIZES


def _of_ceiling(packet_bytes: int, at_least: float, ceiling: str = "bare relay", stretch: str = "") -> Claim:
    def found(result: Result) -> Estimate | None:
        return result.ratio("per_s", "despina", CEILINGS[ceiling], _point(packet_bytes))
    return Claim(f"{packet_bytes:,} B, default buffer: throughput, of the {ceiling}'s{stretch}", found, at_least=at_least)


EXPERIMENT = Experiment(
    name="relay",
    doc="""Source and sink in one resource, the relay in another, two TCP hops: NEPTUNE's seven packet sizes with the default
    buffer, its other buffer sizes with three of them. Throughput flat out, beside the bare relay (plain blocking NIO, no
    engine), with the system's TCP and with connections that are not paced; latency from due times at a rate of 25 MB/s,
    200,000 packets/s at most.""",
    subjects=(
        Subject(bare.RELAY, bare.flat_out, 0.5, at=_has_default_buffer),
        Subject(bare.UNPACED, bare.unpaced, 0.5, at=_has_default_buffer),
        Subject("despina", flat_out, 3),
        Subject(PACED, paced, 3, at=lambda point: point["packet_bytes"] in GRID_SIZES, comparable=False),
    ),
    metrics=(engine.PER_S, engine.MBIT, engine.CPU, engine.P50, engine.P99),
    baseline=bare.RELAY,
    full=Plan([_point(size) for size in SIZES]
              + [_point(size, buffer) for size in GRID_SIZES for buffer in BUFFERS if buffer != DEFAULT_BUFFER], seconds=5,
              shown_only=lambda point: not _is_claimed(point)),
    quick=Plan([_point(50)], repeats=1, warm_up_s=2, seconds=2),
    published=(
        Published("001 NEPTUNE, Fig 2", "about 2 M packets/s at 50 B", 2e6, "packets/s",
                  lambda result: result.median("per_s", "despina", _point(50))),
        Published("001 NEPTUNE, Fig 2", "latency under 10 ms at 16 KB buffers", 10, "ms p99 (50 B)",
                  lambda result: result.median("p99_ms", PACED, _point(50, 16384))),
    ),
    claims=[*(_of_ceiling(size, 0.75 if size == 50 else 0.9, ceiling) for ceiling in CEILINGS for size in CLAIMED_SIZES),
            _of_ceiling(50, 0.9, stretch=" (stretch)")],
    figures=(
        Figure("sizes", lines(Lines("packet_bytes", engine.PER_S, where={"buffer_bytes": DEFAULT_BUFFER}, log_y=True,
                                    subjects=(*CEILINGS.values(), "despina"), title="default buffer, flat out"),
                              Lines("packet_bytes", engine.CPU, where={"buffer_bytes": DEFAULT_BUFFER}, log_y=True,
                                    subjects=(*CEILINGS.values(), "despina"), title="processor time")), (11, 4.4)),
    ),
    needs=(java.compiler_needed,),
    remarks="""The bare relay copies each packet once, in the relay, between buffers that the kernel reads and writes itself.
    Despina's packets lie in byte arrays, so each hop has two copies more, into such a buffer and out of it, and a byte is
    gone over by three checksums between source and sink. By `perf` at 1,024 B (5 s at 1.3 M packets/s): the JVMs' copies 17 %
    of the processors' time, checksums 5 %, the kernel's own copies 18 %, idle 11 %, nearly all else is the kernel's TCP and
    its wake-ups; at 10,240 B it is alike. Single rounds of both lie up to a third apart. The bare relay as anybody writes it
    has the system's TCP. Where that paces (BBR, as on this machine) it is no true ceiling, since the engine has its loopback
    connections not paced (docs/design/012): the unpaced one is, and has that by a call that Java's own API does not offer.
    What the engine spends beyond that one is told in [COMPARISON.md](COMPARISON.md#relay).""",
)
