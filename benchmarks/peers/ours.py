"""Despina: ``despina run`` on two child JVMs, its defaults and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from despina import doctor
from despina.errors import StartError
from despina.version import VERSION
from harness import Measured, Point, java
from peers import our_jobs, our_works
from peers.contract import Kit, Trial, UnavailableError, Variant


class Despina:
    """The adapter."""

    name = "despina"
    least_warm_up_s = 10.0
    start_s = 4.0

    def __init__(self) -> None:
        self._facts: dict[str, Any] = {}

    def prepare(self, kit: Kit) -> None:
        """Nothing but what it needs anyhow."""
        try:
            java.java_needed()
        except StartError as missing:
            raise UnavailableError(missing.message) from missing
        found = doctor.find_java()
        self._facts = {"version": VERSION, "jdk": found.full_version, "jvm_flags": doctor.module_flags(found.version)}

    def describe(self) -> dict[str, Any]:
        """Version, JDK, JVM flags."""
        return self._facts

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        """One: its defaults, at every rate and size."""
        return [Variant("default", remark="each resource has the heap of its memory budget, others one that is fixed")]

    def candidates(self, work: str, point: Point) -> Sequence[Variant]:
        """None: it runs as it comes."""
        return []

    def start(self, trial: Trial) -> None:
        """Starts with its work."""

    def submit(self, trial: Trial) -> None:
        """Starts with its work."""

    def sample(self, trial: Trial) -> Measured:
        """Throughput and latency as it counts them; its cost is read from the kernel as everybody's."""
        return our_jobs.run(trial) if trial.work == "manufacturing" else our_works.run(trial)

    def stop(self, trial: Trial) -> None:
        """It has ended."""
