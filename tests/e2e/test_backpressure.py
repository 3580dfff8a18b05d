"""A sink that sleeps: its source follows, memory stays flat, nothing is lost. ``tools/soak.py`` runs the same with 2 GB."""

from __future__ import annotations

from e2e.slow_sink import MEMORY_BYTES, run_slow_sink
from despina.drivers.py4j import Py4jDriver

MB = 1 << 20


def test_memory_stays_flat_behind_a_slow_sink(driver: Py4jDriver) -> None:
    found = run_slow_sink(driver, total_bytes=200 * MB)
    assert found.complete, found
    assert found.most_ahead_bytes < 2 * MEMORY_BYTES, found
    assert found.paused_ms > 0, found
    assert found.growth_bytes < 16 * MB, found
    assert found.direct_bytes < 64 * MB, found
