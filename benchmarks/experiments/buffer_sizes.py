"""NEPTUNE's Fig 2 as it is drawn there: throughput, latency and bandwidth over buffer sizes, for seven packet sizes."""

from __future__ import annotations

from contextlib import nullcontext

from harness import engine, graphs, hosts, java
from harness.experiment import Experiment, Figure, Measured, Metric, Plan, Point, Published, Run, Subject
from harness.plots import Lines, lines
from harness.result import Result

BUFFERS = (1024, 4096, 16384, 65536, 262144, 1048576)
SIZES = (50, 100, 200, 400, 1024, 4096, 10240)
TOLD_BUFFERS, TOLD_SIZES = (1024, 16384, 1048576), (50, 1024, 10240)
"""Of the full plan: these buffers, and on the loopback these packets."""
LOOPBACK, GIGABIT = "loopback", "1 Gbit/s"
SHAPED = "2gbit"
"""A packet passes the loopback twice, so each of its two hops has half."""
HALF = 0.5
LATENCY = Metric("p99_ms", "p99 ms at half of that")


def relay(run: Run) -> Measured:
    """Flat out, and then at half of what that was: latency."""
    size, settings = run.point["packet_bytes"], {"buffer": {"capacity_bytes": run.point["buffer_bytes"]}}
    with hosts.shaped_loopback(SHAPED) if run.point["link"] == GIGABIT else nullcontext(list) as wrapped:
        flat_out = engine.measured(engine.timed(run, graphs.relay(size, settings=settings), graphs.RELAY_APART, wrapped=wrapped))
        paced = graphs.relay(size, settings=settings, rate_per_s=HALF * flat_out.values["per_s"])
        latency = engine.measured(engine.timed(run, paced, graphs.RELAY_APART, wrapped=wrapped))
    return Measured({"per_s": flat_out.values["per_s"], "mbit_per_s": flat_out.values["mbit_per_s"],
                     "p50_ms": latency.values["p50_ms"], LATENCY.name: latency.values["p99_ms"]})


def _at(packet_bytes: int, buffer_bytes: int, link: str) -> Point:
    return {"packet_bytes": packet_bytes, "buffer_bytes": buffer_bytes, "link": link}


def _greatest_latency(result: Result) -> float | None:
    """At buffers of 16 KB, of all packet sizes."""
    found = [ms for size in SIZES if (ms := result.median(LATENCY.name, "despina", _at(size, 16384, GIGABIT))) is not None]
    return max(found, default=None)


def _figure(name: str, link: str) -> Figure:
    def panel(metric: Metric, title: str) -> Lines:
        return Lines("buffer_bytes", metric, each="packet_bytes", where={"link": link}, log_y=True, title=title)
    return Figure(name, lines(panel(engine.PER_S, f"throughput, {link}"), panel(LATENCY, f"latency, {link}"),
                              panel(engine.MBIT, f"bandwidth of a hop, {link}")), (14, 4.6))


EXPERIMENT = Experiment(
    name="buffer_sizes",
    doc="""Source and sink in one process, the relay in another: packets of seven sizes through buffers of six, on the
    loopback as it is and on one that carries 1 Gbit/s for each hop (a namespace, tc tbf; both hops share 2 Gbit/s).
    Throughput and bandwidth flat out, latency from due times at half of that throughput: flat out it would be that of full
    queues.""",
    subjects=(Subject("despina", relay, seconds=lambda point, plan: 2 * (2 + plan.warm_up_s + plan.seconds)),),
    metrics=(engine.PER_S, engine.MBIT, engine.P50, LATENCY),
    full=Plan([_at(size, buffer, link) for link, sizes in ((GIGABIT, SIZES), (LOOPBACK, TOLD_SIZES)) for size in sizes
               for buffer in TOLD_BUFFERS], repeats=1, warm_up_s=2, seconds=2, attempts=2),
    long=Plan([_at(size, buffer, link) for link in (LOOPBACK, GIGABIT) for size in SIZES for buffer in BUFFERS], repeats=3,
              warm_up_s=2, seconds=3, attempts=2),
    quick=Plan([_at(50, 16384, GIGABIT)], repeats=1, warm_up_s=1.5, seconds=2),
    published=(
        Published("001 NEPTUNE, Fig 2", "0.937 of 1 Gbit/s with large buffers", 937, "Mbit/s of a hop (10 KB, buffers of 1 MB)",
                  lambda result: result.median("mbit_per_s", "despina", _at(10240, 1048576, GIGABIT))),
        Published("001 NEPTUNE, Fig 2", "under 10 ms at 16 KB, all sizes", 10, "ms p99, the greatest, over 1 Gbit/s",
                  _greatest_latency),
    ),
    figures=(_figure("loopback", LOOPBACK), _figure("gigabit", GIGABIT)),
    needs=(java.java_needed, hosts.needed),
    remarks="""One round, of which no claim is made: three of six buffers, and on the loopback three of seven packet sizes. The
    long plan has all of them in three rounds.""",
)
