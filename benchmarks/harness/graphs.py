"""Graphs and deployments of the experiments, as their files hold them: the relay of NEPTUNE's Fig 1 and its relatives."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "benchmarks" / "experiments" / "graphs"
"""Those of the experiments alone."""
RELAY = ROOT / "graphs" / "relay.graph.json"
RELAY_APART = ROOT / "graphs" / "relay.deploy.json"
"""Source and sink in one resource, the relay in another."""

Json = dict[str, Any]


def relay(packet_bytes: int, *, rate_per_s: float | None = None, settings: Mapping[str, Any] | None = None,
          stages: int = 1, content: str = "random", verify: str = "sampled") -> Json:
    """Source, so many relays or none, sink; nothing fused. One relay is called ``relay``, several ``relay_1`` and so on."""
    source: Json = {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": packet_bytes, "content": content}}
    if rate_per_s is not None:
        source["rate_per_s"] = rate_per_s
    relays = ["relay"] if stages == 1 else [f"relay_{k}" for k in range(1, stages + 1)]
    names = ["source", *relays, "sink"]
    graph: Json = {"format": 1, "name": "relay"}
    if settings:
        graph["settings"] = dict(settings)
    graph["operators"] = {"source": source, **{name: {"type": "relay"} for name in relays},
                          "sink": {"type": "discard_sink", "verify": verify}}
    graph["links"] = [{"from": a, "to": b, "fuse": False} for a, b in itertools.pairwise(names)]
    return graph


def deployment(place: Mapping[str, list[str]], **resource: Any) -> Json:
    """Resources of this machine by the names used in ``place``.

    :param resource: fields of every resource, as ``memory_bytes``
    """
    names = dict.fromkeys(name for names in place.values() for name in names)
    return {"format": 1, "resources": {name: {"start": "child", **resource} for name in names}, "place": dict(place)}
