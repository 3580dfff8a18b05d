"""The relay of small packets at a fixed rate, all defaults: what experiments with latency measure."""

from __future__ import annotations

from harness import engine, graphs
from harness.experiment import Measured, Point, Run

PACKET_BYTES = 50


def at(rate_per_s: int) -> Point:
    """The point of that rate."""
    return {"packet_bytes": PACKET_BYTES, "rate_per_s": rate_per_s}


def relay(run: Run) -> Measured:
    """Two resources; latency from each packet's due time."""
    graph = graphs.relay(run.point["packet_bytes"], rate_per_s=run.point["rate_per_s"])
    return engine.measured(engine.timed(run, graph, graphs.RELAY_APART))
