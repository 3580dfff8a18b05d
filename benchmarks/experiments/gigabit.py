"""A link of 1 Gbit/s: how much of it packets get, and how much more than it carries compressed readings are."""

from __future__ import annotations

from collections.abc import Callable

from harness import engine, hop, hosts, java, readings
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Published, Run, Subject
from harness.result import Result
from harness.stats import Estimate

SIZES = (50, 200, 1024, 10240)
NEVER = "despina, never"
ADAPTIVE = "despina, adaptive"


def stream(run: Run) -> Measured:
    """One plain TCP connection."""
    return hop.plain_stream(run, hop.GIGABIT)


def _despina(compression: str) -> Callable[[Run], Measured]:
    def measure(run: Run) -> Measured:
        size = run.point["packet_bytes"]
        return hop.measured(run, hop.GIGABIT, hop.graph(run.point["data"], size, compression), size)
    return measure


def _random(size: int) -> Point:
    return {"data": "random", "packet_bytes": size}


READINGS: Point = {"data": "readings", "packet_bytes": readings.PACKET_BYTES - 1}


def _share(size: int) -> Claim:
    def found(result: Result) -> Estimate | None:
        return result.ratio(hop.RAW.name, NEVER, hop.STREAM, _random(size))
    return Claim(f"{size:,} B, uncompressed: bytes of packets, of what a plain stream carries", found, at_least=0.95)


def _raw(result: Result) -> Estimate | None:
    return result.estimate(hop.RAW.name, ADAPTIVE, READINGS)


EXPERIMENT = Experiment(
    name="gigabit",
    doc="""One hop over a link of 1 Gbit/s (two network namespaces, veth, tc tbf): a source that never waits, a sink that counts.
    Relay packets of random bytes, and DEBS 2012 readings that were parsed into memory before, uncompressed and with the default
    `adaptive`. Beside them one plain TCP connection that carries nothing but bytes: the link's payload rate.""",
    subjects=(
        Subject(hop.STREAM, stream, 2),
        Subject(NEVER, _despina("never"), 4),
        Subject(ADAPTIVE, _despina("adaptive"), 4),
    ),
    metrics=(engine.PER_S, hop.RAW, engine.MBIT, hop.SAVED, engine.CPU),
    baseline=hop.STREAM,
    compared=hop.RAW.name,
    full=Plan([*(_random(size) for size in SIZES), READINGS], warm_up_s=4, seconds=5),
    quick=Plan([READINGS], repeats=1, warm_up_s=3, seconds=3),
    published=(Published("001 NEPTUNE, Fig 2", "0.937 of 1 Gbit/s at 50 B", 937, "Mbit/s (50 B, uncompressed)",
                         lambda result: result.median("mbit_per_s", NEVER, _random(50))),),
    claims=(
        *(_share(size) for size in SIZES if size >= 200),
        Claim("50 B, uncompressed: packets/s", lambda result: result.estimate("per_s", NEVER, _random(50)), at_least=2e6),
        Claim("readings, adaptive: Mbit/s of packets", _raw, at_least=4000),
        Claim("readings, adaptive: Mbit/s of packets (stretch)", _raw, at_least=5000),
    ),
    needs=(java.java_needed, hosts.needed, readings.needed),
)
