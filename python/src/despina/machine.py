"""The machine as Linux describes it: its processors, its NUMA nodes, and how far they are from each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from despina.errors import StartError

ROOT = Path("/")
_ALLOWED = re.compile(r"^Cpus_allowed_list:\s*(\S+)", re.MULTILINE)
_TOTAL = re.compile(r"MemTotal:\s*(\d+) kB")
_NODES, _CPUS = Path("sys/devices/system/node"), Path("sys/devices/system/cpu")
_OWN_DISTANCE = 10
"""Linux's, of a node to itself; others are in its units."""


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
