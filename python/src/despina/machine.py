"""The machine as Linux describes it: its processors, its NUMA nodes, and how far they are from each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from despina.errors import StartError

ROOT = Path("/")
_ALLOWED = re.compile(r"^Cpus_allowed_list:\s*(\S+)", re.MULTILINE)
_TOTAL = re.compile(r"MemTotal:\s*(\d+) kB")
_NODES, _CPUS = Path("sys/devices/system/node"), Path("sys/devices/system/cpu")
_OWN_DISTANCE = 10
"""Linux's, of a node to itself; others are in its units."""
_DISTANCES_PER_MS = 1000
"""A way within a machine is short beside any network: the farthest nodes are 0.04 ms from each other."""
_MEMORY_MBIT_PER_S = 100_000
"""Wide enough for what two processes can say to each other."""


@dataclass(frozen=True)
class Node:
    """A NUMA node: processors, as in ``0-3,8``, and memory. ``distances`` to each node, in the order of the nodes."""

    number: int
    cpus: str
    memory_bytes: int
    distances: tuple[int, ...]


@dataclass(frozen=True)
class Machine:
    """Processors as in ``0-3,8``: all that are on, and those on which this process may run.

    ``quota``: how many of them it may keep busy, by its container; None for all. A machine without nodes has one.
    """

    online: str
    allowed: str
    quota: float | None
    nodes: tuple[Node, ...]

    def table(self) -> list[str]:
        """Lines for a terminal."""
        quota = "" if self.quota is None else f", and may keep {self.quota:g} of them busy"
        lines = [f"processors {self.online}; this process may run on {self.allowed}{quota}", ""]
        rows = [["node", "cpus", "memory", *(f"to {node.number}" for node in self.nodes)]]
        rows += [[str(node.number), node.cpus, f"{node.memory_bytes / 1e9:.1f} GB", *map(str, node.distances)]
                 for node in self.nodes]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return lines + ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


    def deployment(self, loops_ns: Mapping[str, float] | None = None) -> dict[str, Any]:
        """A deployment for ``despina place``: a resource for each node on which this process may run, ``node0`` and so on.

        What is between two nodes goes by their distance: so bytes that travel far count more.

        :param loops_ns: how fast a processor is, as ``despina doctor --machine --measure`` has it
        """
        allowed = _numbers(self.allowed)
        nodes = {node.number: len(_numbers(node.cpus) & allowed) for node in self.nodes if _numbers(node.cpus) & allowed}
        share = 1.0 if self.quota is None else min(1.0, self.quota / sum(nodes.values()))
        resources = {f"node{number}": {**({"node": number} if len(self.nodes) > 1 else {}),
                                       "machine": {"cpus": share * cpus, **({"loops_ns": dict(loops_ns)} if loops_ns else {})}}
                     for number, cpus in nodes.items()}
        places = {node.number: k for k, node in enumerate(self.nodes)}
        network = [{"between": [f"node{one.number}", f"node{other}"], "mbit_per_s": _MEMORY_MBIT_PER_S,
                    "round_trip_ms": max(one.distances[places[other]], self.nodes[places[other]].distances[places[one.number]])
                    / _DISTANCES_PER_MS}
                   for one in self.nodes for other in nodes if one.number in nodes and one.number < other]
        return {"format": 1, "resources": resources, **({"network": network} if network else {})}


def read(root: Path = ROOT) -> Machine:
    """Reads this machine, or what a folder holds of another one's ``proc`` and ``sys``.

    :raise StartError: it does not say which processors there are
    """
    online = _text(root / _CPUS / "online")
    found = sorted((int(folder.name.removeprefix("node")), folder) for folder in (root / _NODES).glob("node[0-9]*"))
    nodes = tuple(_node(number, folder, len(found)) for number, folder in found)
    status = root / "proc" / "self" / "status"
    allowed = _ALLOWED.search(_text(status)) if status.is_file() else None
    return Machine(online, allowed[1] if allowed else online, _quota(root / "sys" / "fs" / "cgroup"),
                   nodes or (Node(0, online, _kilobytes(root / "proc" / "meminfo"), (_OWN_DISTANCE,)),))


def _node(number: int, folder: Path, nodes: int) -> Node:
    distances = tuple(map(int, _text(folder / "distance").split()))
    if len(distances) != nodes:
        raise StartError("machine", f"{folder / 'distance'} has {len(distances)} numbers, and there are {nodes} nodes",
                         "a folder that describes a machine has all of its nodes")
    return Node(number, _text(folder / "cpulist"), _kilobytes(folder / "meminfo"), distances)


def _numbers(cpus: str) -> set[int]:
    """Of ``0-3,8``."""
    ranges = (part.partition("-") for part in cpus.split(",") if part)
    return {number for begin, _, end in ranges for number in range(int(begin), int(end or begin) + 1)}


def _quota(cgroup: Path) -> float | None:
    """Of the second version's file, or of the first's."""
    if (now := cgroup / "cpu.max").is_file():
        most, period = _text(now).split()
        return None if most == "max" else int(most) / int(period)
    old = cgroup / "cpu"
    if (old / "cpu.cfs_quota_us").is_file() and (most_us := int(_text(old / "cpu.cfs_quota_us"))) > 0:
        return most_us / int(_text(old / "cpu.cfs_period_us"))
    return None


def _kilobytes(file: Path) -> int:
    total = _TOTAL.search(_text(file)) if file.is_file() else None
    return int(total[1]) * 1024 if total else 0


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise StartError("machine", f"{file}: {why}", "Linux alone tells of processors and nodes, below /sys and /proc") from None
