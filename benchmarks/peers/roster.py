"""The engines, by name."""

from __future__ import annotations

import importlib

from peers.contract import Engine

ADAPTERS = {
    "bare": "peers.bare_relay:Bare",
    "despina": "peers.ours:Despina",
    "hazelcast": "peers.hazelcast:Hazelcast",
    "flink": "peers.flink:Flink",
    "storm": "peers.storm:Storm",
    "spark": "peers.spark:Spark",
}
OURS = "despina"
PEERS = ("hazelcast", "flink", "storm", "spark")
ALWAYS = ("bare", OURS)
ABSENT = {"hazelcast": "its adapter has no queries", "storm": "it has no queries",
          "bare relay": "it is the ceiling of the relay's throughput and latency, and does nothing else",
          "spark": "its adapter does the relay, flat out and at fixed rates, and queries, and nothing else"}
"""Why engines, by the names in rows, are not in every work."""


def engine(name: str) -> Engine:
    """A new adapter."""
    module, _, member = ADAPTERS[name].partition(":")
    made: Engine = getattr(importlib.import_module(module), member)()
    return made
