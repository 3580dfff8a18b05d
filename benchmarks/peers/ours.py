"""Despina: ``despina run`` on two child JVMs, its defaults and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from despina import installed
from despina.version import VERSION
from harness import java
from harness.experiment import Measured, Point
from peers import our_jobs, our_works
from peers.contract import Engine, Kit, Trial, Variant
from peers.nexmark import ours as our_queries


class Despina(Engine):
    """The adapter."""

    name = "despina"
    least_warm_up_s = 10.0
    start_s = 4.0

    def prepare(self, kit: Kit) -> None:
        """Nothing but what it needs anyhow."""
        java.java_needed()
        found = installed.find_java()
        self._facts = {"version": VERSION, "jdk": found.full_version, "jvm_flags": installed.module_flags(found.version)}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        """One: its defaults, at every rate and size."""
        return [Variant("default", remark="each resource has the heap of its memory budget, others one that is fixed")]

    def sample(self, trial: Trial) -> Measured:
        """Throughput and latency as it counts them; its cost is read from the kernel as everybody's."""
        runs = {"manufacturing": our_jobs.run, "nexmark": our_queries.run}
        return runs.get(trial.work, our_works.run)(trial)
