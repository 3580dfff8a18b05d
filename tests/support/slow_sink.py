"""The backpressure run: 64 KB packets through a relay that sleeps 1 ms each, two resources with 60 MB each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from support.graphs import TWO, chain, packets
from support.memory import Memory, look, resident

PACKET_BYTES = 64 << 10
MEMORY_BYTES = 60_000_000
MAX_PACKET_BYTES = 1 << 20
"""A quarter of the memory at most; the default, 16 MB, wants 68 MB."""
WARM_PART = 0.3
"""What passes before memory is expected to stay where it is."""
LOOK_EVERY_S = 0.1
MB = 1 << 20
RESIDENT_GROWTH = 16 * MB
HEAP_GROWTH = 8 * MB
DIRECT_GROWTH = MB


@dataclass
class SlowSink:
    """What was seen of it.

    :ivar ahead_bytes: the most that the source had sent and the sink had not got, by counters at most half a second apart
    :ivar resident: per resource, resident bytes at each look after warm-up
    :ivar warm: per resource, after warm-up
    :ivar ended: per resource, after the job
    """

    packets: int
    report: dict[str, Any] = field(default_factory=dict)
    ahead_bytes: int = 0
    resident: dict[str, list[int]] = field(default_factory=dict)
    warm: dict[str, Memory] = field(default_factory=dict)
    ended: dict[str, Memory] = field(default_factory=dict)

    def grown(self) -> list[str]:
        """What grew after warm-up: queues that were not bounded would have taken most of what passed through."""
        grown = []
        for name, looks in self.resident.items():
            warm, ended = self.warm[name], self.ended[name]
            for what, bytes_more, most in (("resident memory", max(looks) - looks[0], RESIDENT_GROWTH),
                                           ("live heap", ended.heap - warm.heap, HEAP_GROWTH),
                                           ("direct memory", ended.direct - warm.direct, DIRECT_GROWTH)):
                if bytes_more > most:
                    grown.append(f"{what} of {name} grew by {bytes_more / MB:.1f} MB")
        return grown


def run(engine: Engine, total_bytes: int) -> SlowSink:
    """Runs that many bytes through; the sink verifies each packet, and a gap fails the job."""
    found = SlowSink(total_bytes // PACKET_BYTES)
    content = chain(("source", packets(found.packets, PACKET_BYTES)), ("slow", {"type": "relay", "sleep_ms": 1}),
                    ("sink", {"type": "discard_sink", "verify": "all"}), name="slow_sink",
                    settings={"max_packet_bytes": MAX_PACKET_BYTES})
    resources = {name: {"start": "child", "memory_bytes": MEMORY_BYTES} for name in TWO["resources"]}
    with Graph.from_dict(content).start(engine, RunOptions(deployment={**TWO, "resources": resources})) as job:
        while not (status := job.poll(LOOK_EVERY_S)).ended:
            pids = {name: int(resource["pid"]) for name, resource in status.resources.items()}
            sent, got = (status.operators[name][way] for name, way in (("source", "packets_out"), ("sink", "packets_in")))
            found.ahead_bytes = max(found.ahead_bytes, (sent - got) * PACKET_BYTES)
            if got < WARM_PART * found.packets:
                continue
            found.warm = found.warm or {name: look(pid) for name, pid in pids.items()}
            for name, pid in pids.items():
                found.resident.setdefault(name, []).append(resident(pid))
        job.wait()
        found.report = job.report()
        found.ended = {name: look(pid) for name, pid in pids.items()}
    return found
