"""Packets of nearly an eighth of a resource's memory, from more instances than its memory has room for, and longer ones."""

from __future__ import annotations

import json
import socket
from contextlib import suppress

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from support.graphs import TWO, Fields, chain, rows
from support.processes import free_port, over, until

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


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_record_whose_row_is_too_long_is_a_bad_one(engine: Engine, form: str) -> None:
    port, texts = free_port(), ["a" * 10, "b" * 2000, "c" * 20]
    source = {"type": "tcp_source", "port": port, "format": form, "on_error": {"type": "skip"}}
    if form == "json":
        source["schema"] = "value STRING"
    graph = chain(("source", source), ("rows", {"type": "collect_sink"}), settings={"max_packet_bytes": 1000})
    with Graph.from_dict(graph).start(engine, RunOptions()) as job:

        def connected() -> socket.socket | None:
            with suppress(ConnectionRefusedError):
                return socket.create_connection(("127.0.0.1", port))
            return None

        found = until(connected, "source that listens", ended=over(job))
        assert found is not None
        with found as client:
            client.sendall("".join((json.dumps({"value": text}) if form == "json" else text) + "\n" for text in texts).encode())
            until(lambda: job.poll().operators["source"]["packets_out"] == 2, "two rows", ended=over(job))
        job.stop()
        assert job.wait().operators["source"]["errors"] == 1
        assert [row["value"] for row in job.rows("rows").to_pylist()] == [texts[0], texts[2]]
