"""The engines, by name."""

from __future__ import annotations

import importlib

from compare.engine import Engine

ADAPTERS = {
    "bare": "compare.bare.adapter:Bare",
    "despina": "compare.despina.adapter:Despina",
    "hazelcast": "compare.hazelcast.adapter:Hazelcast",
    "flink": "compare.flink.adapter:Flink",
    "storm": "compare.storm.adapter:Storm",
    "spark": "compare.spark.adapter:Spark",
}
OURS = "despina"
PEERS = ("hazelcast", "flink", "storm", "spark")
ALWAYS = ("bare", OURS)
ABSENT = {"bare relay": "it is the ceiling of the relay's throughput and latency, and does nothing else",
          "spark": "its adapter does the relay flat out and at fixed rates, and nothing else"}
"""Why engines, by the names in rows, are not in every work."""


def engine(name: str) -> Engine:
    """A new adapter."""
    module, _, member = ADAPTERS[name].partition(":")
    made: Engine = getattr(importlib.import_module(module), member)()
    return made
