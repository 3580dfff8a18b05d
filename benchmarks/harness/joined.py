"""A graph over several hosts of this machine (:mod:`harness.hosts`): a resource that joins on each."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import engine, graphs
from harness.experiment import Run
from harness.hosts import Hosts

FIRST_PORT = 7400
SECRET = "benchmark of several hosts, nothing secret"
JOIN_S = 300
"""Fifty of them on two cores take a minute."""
DRAIN_MS = 60_000
"""Full queues in front of slow links take their time."""
END_S = 600
"""For a graph that ends by itself."""


@dataclass(frozen=True)
class Park:
    """Alike hosts, called ``host_0``, ``host_1`` and so on.

    :ivar rate: of what one may send, as ``tc`` writes it
    :ivar memory_bytes: of each resource
    :ivar bound: whether each has a processor of its own, so far as there are, and one worker thread
    """

    hosts: int
    rate: str
    memory_bytes: int = 128 << 20
    bound: bool = False

    def command(self, host: int, words: Sequence[str]) -> list[str]:
        """The command line of a host's resource."""
        if not self.bound:
            return list(words)
        cpus = sorted(os.sched_getaffinity(0))
        return ["taskset", "-c", str(cpus[host % len(cpus)]), *words, "--cores", "1"]


def run(run: Run, park: Park, graph: graphs.Json | Path, place: Mapping[str, Sequence[str]],
        parameters: Mapping[str, Any] | None = None, ends: bool = False) -> engine.Report:
    """Runs a graph without end for the run's warm-up and seconds.

    :param ends: it ends by itself, and all of it counts
    """
    limits: dict[str, float] = {"limit_s": END_S} if ends else {"duration_s": run.warm_up_s + run.seconds,
                                                                "warm_up_s": run.warm_up_s}
    secret = run.folder / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    with Hosts(park.hosts, park.rate) as at:
        resources = {f"host_{k}": {"start": "join", "host": address, "control_port": FIRST_PORT + k,
                                   "memory_bytes": park.memory_bytes, **({"cores": 1} if park.bound else {})}
                     for k, address in enumerate(at.addresses)}
        command = engine.Command(graph, {"format": 1, "resources": resources, "place": dict(place)}, parameters, **limits,
                                 options=("--secret-file", str(secret), "--listen", at.switch, "--join-timeout", str(JOIN_S),
                                          "--drain-ms", str(DRAIN_MS)),
                                 wrapped=at.at_switch)
        with engine.running(command, run.folder) as under_way:
            at.wait_for([FIRST_PORT + k for k in range(park.hosts)], under_way.process)
            for k, address in enumerate(at.addresses):
                words = [sys.executable, "-m", "despina", "resource", "--name", f"host_{k}",
                         "--join", f"{at.switch}:{FIRST_PORT + k}", "--secret-file", str(secret), "--listen", address,
                         "--memory", str(park.memory_bytes)]
                at.start(k, park.command(k, words), **engine.quietly(run.folder))
            return under_way.report()


def wire_mbit_per_s(report: engine.Report, seconds: float) -> float:
    """What all links together have sent."""
    return float(sum(link["bytes_on_wire"] for link in report["links"].values()) * 8 / 1e6 / seconds)
