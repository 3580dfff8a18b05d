"""A sink that sleeps: its source follows, memory stays flat, nothing is lost."""

from __future__ import annotations

import json
from typing import Any

from despina.engine import Engine
from despina.graph import RunOptions
from support import slow_sink
from support.graphs import chain, packets
from support.processes import until

MB = 1 << 20
TOUCHED = True


def test_memory_stays_flat_behind_a_slow_sink(engine: Engine) -> None:
    found = slow_sink.run(engine, 640 * MB)
    assert found.report["operators"]["source"]["packets_out"] == found.report["operators"]["sink"]["packets_in"] == found.packets
    assert found.report["links"]["source->slow"]["paused_ms"] > 0
    assert found.ahead_bytes < 32 * MB
    assert max(memory.heap for memory in found.ended.values()) < slow_sink.MEMORY_BYTES + 32 * MB
    assert found.grown() == []


def test_a_link_is_paused_for_as_long_as_its_sender_waits(engine: Engine) -> None:
    content = chain(("source", packets(10_000_000, 1000)), ("sink", {"type": "collect_sink"}), links={"fuse": False},
                    name="waits")
    job, _, _ = engine.run(json.dumps(content), "waits", RunOptions().for_gateway())
    looks: list[dict[str, Any]] = []

    def passed(look: dict[str, Any]) -> int:
        return int(look["links"]["source->sink"]["packets"])

    def waits() -> bool:
        looks.append(engine.status(job))
        if passed(looks[-1]) != passed(looks[0]) or not passed(looks[-1]):
            looks.clear()
            return False
        return bool(looks[-1]["elapsed_s"] > looks[0]["elapsed_s"] + 1)
    try:
        until(waits, "sender whose packets nobody takes")
        assert [look["elapsed_s"] for look in looks if look["elapsed_s"] > looks[0]["elapsed_s"] + 0.5
                and not look["links"]["source->sink"]["paused"]] == []
    finally:
        engine.stop(job, "now")
    until(lambda: engine.wait(job, 1000)["state"] in ("stopped", "incomplete"), "end")
    assert not engine.status(job)["links"]["source->sink"]["paused"]
