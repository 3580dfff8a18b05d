"""Packets of nearly an eighth of a resource's memory, from more instances than its memory has room for."""

from __future__ import annotations

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from support.graphs import TWO, Fields, chain, rows

PACKETS = 24
PAYLOAD_BYTES = 14_000_000
MEMORY_BYTES = 128 << 20
ONE: Fields = {"format": 1, "resources": {"near": {"start": "child"}}}


@pytest.mark.parametrize(("parallelism", "deployment"), [(4, ONE), (8, ONE), (16, ONE), (8, TWO)],
                         ids=["4 instances", "8 instances", "16 instances", "two resources"])
def test_many_instances_send_large_packets(engine: Engine, parallelism: int, deployment: Fields) -> None:
    payload = f"repeat(chr(65 + id % 26), {PAYLOAD_BYTES}) AS payload"
    content = chain(("source", rows(PACKETS, "id", payload, parallelism=parallelism)),
                    ("relay", {"type": "relay", "parallelism": parallelism}),
                    ("sink", {"type": "discard_sink", "parallelism": parallelism}), links={"fuse": False}, name="large_packets",
                    settings={"max_packet_bytes": PAYLOAD_BYTES + 100})
    resources = {name: {**resource, "memory_bytes": MEMORY_BYTES} for name, resource in deployment["resources"].items()}
    with Graph.from_dict(content).start(engine, RunOptions(deployment={**deployment, "resources": resources})) as job:
        job.wait()
        operators = job.report()["operators"]
    assert [operators[name]["packets_in"] for name in ("relay", "sink")] == [PACKETS, PACKETS]
