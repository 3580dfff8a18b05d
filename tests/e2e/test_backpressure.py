"""A sink that sleeps: its source follows, memory stays flat, nothing is lost."""

from __future__ import annotations

from despina.engine import Engine
from support import slow_sink

MB = 1 << 20
TOUCHED = True


def test_memory_stays_flat_behind_a_slow_sink(engine: Engine) -> None:
    found = slow_sink.run(engine, 640 * MB)
    assert found.report["operators"]["source"]["packets_out"] == found.report["operators"]["sink"]["packets_in"] == found.packets
    assert found.report["links"]["source->slow"]["paused_ms"] > 0
    assert found.ahead_bytes < 32 * MB
    assert max(memory.heap for memory in found.ended.values()) < slow_sink.MEMORY_BYTES + 32 * MB
    assert found.grown() == []
