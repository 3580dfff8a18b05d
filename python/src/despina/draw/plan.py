"""A picture of a graph's plan: a box per task, and how packets are dealt between the tasks.

UPM-CEP's sub-queries: a task begins where packets must be dealt anew, as before an operator with state per key, and holds the
operators behind it that take packets in the same thread. Where packets are added up before they are dealt out, the arrow says so,
and where one process calls the functions of two tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from despina.draw.drawing import Arrow, Box, Drawing, kind


def of(plan: Mapping[str, Any]) -> Drawing:
    """The picture of a plan as ``check`` gives it."""
    operators = {operator["id"]: operator for operator in plan["operators"]}
    head = {name: chain[0] for chain in plan["chains"] for name in chain}
    arrows = tuple(_arrow(link, head) for link in plan["links"] if not link["fused"])
    return Drawing(plan["name"], plan["doc"] or "", tuple(_box(chain, operators) for chain in plan["chains"]), arrows)


def _box(chain: list[str], operators: Mapping[str, Mapping[str, Any]]) -> Box:
    first, *rest = (operators[name] for name in chain)
    instances = first["parallelism"]
    most = first["most_instances"]
    details = [f"× {most} instances, {instances} at the start"] if most > instances \
        else [f"× {instances} instances"] if instances > 1 else []
    details += [f"→ {operator['id']}: {operator['type']}" for operator in rest]
    return Box(first["id"], first["type"], tuple(details), (), kind(first["type"]))


def _arrow(link: Mapping[str, Any], head: Mapping[str, str]) -> Arrow:
    dealt = link["partition"]
    if link["shared"]:
        dealt = f"{dealt}, one process"
    if dealt == "hash":
        dealt = f"hash by {', '.join(link['by'])}" + (", partly aggregated" if link["parts"] else "")
    return Arrow(head[link["from"]], link["to"], "" if link["from_port"] == "out" else link["from_port"],
                 "" if link["to_port"] == "in" else link["to_port"], dealt)
