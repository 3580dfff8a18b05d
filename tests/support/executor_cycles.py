"""Jobs one after the other in one Spark session; what the driver's JVM and the executors' hold after each half."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from despina.engine import Engine
from despina.graph import RunOptions
from support.cycles import one
from support.memory import jcmd

MB = 1 << 20
CHANCE = {"threads": 4, "ports": 0, "jars": 0, "metaspace": 3 * MB}
"""What a JVM of Spark's may hold more by chance: its pools come and go, and methods that warm up keep profiles."""


@dataclass(frozen=True)
class Held:
    """What one JVM holds: threads, listening sockets, open jars, and bytes of metaspace."""

    threads: int
    ports: int
    jars: int
    metaspace: int


@dataclass(frozen=True)
class Session:
    """What was seen of one session: each JVM after half of the jobs and after all, and how long each job took."""

    half: Mapping[int, Held]
    whole: Mapping[int, Held]
    first_packets_s: list[float]
    jobs_s: list[float]

    def grown(self) -> list[str]:
        """What rose beyond chance."""
        return [f"{name} of process {pid} grew from {getattr(self.half[pid], name)} to {getattr(self.whole[pid], name)}"
                for pid in self.half for name, most in CHANCE.items()
                if getattr(self.whole[pid], name) > getattr(self.half[pid], name) + most]


def run(engine: Engine, jobs: int) -> Session:
    """Runs the job so often, each time over its rows; every second one is stopped in the middle."""
    pids = {int(engine.version()["pid"])}
    first, whole = [], []
    half: dict[int, Held] = {}
    for number in range(1, jobs + 1):
        began = time.monotonic()
        status = one(engine, RunOptions(), stopped=number % 2 == 0)
        pids |= {int(resource["pid"]) for resource in status.resources.values()}
        whole.append(time.monotonic() - began)
        first.append(status.first_packet_s or 0.0)
        if number == jobs // 2:
            half = {pid: look(pid) for pid in sorted(pids)}
    return Session(half, {pid: look(pid) for pid in sorted(pids)}, first, whole)


def look(pid: int) -> Held:
    """Collects garbage and looks."""
    jcmd(pid, "GC.run")
    metaspace = re.search(r"^sun\.gc\.metaspace\.used=(\d+)", jcmd(pid, "PerfCounter.print"), re.MULTILINE)
    assert metaspace
    files = [_target(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
    listening = {line.split()[9] for name in ("tcp", "tcp6") for line in
                 Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] if line.split()[3] == "0A"}
    sockets = [match[1] for file in files if (match := re.fullmatch(r"socket:\[(\d+)\]", file))]
    return Held(len(list(Path(f"/proc/{pid}/task").iterdir())), sum(one in listening for one in sockets),
                sum(file.endswith(".jar") for file in files), int(metaspace[1]))


def _target(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""
