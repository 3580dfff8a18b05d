"""Despina: ``despina run`` on two child JVMs, its defaults and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compare import probe
from compare.despina import jobs, others
from compare.engine import Kit, Trial, UnavailableError, Variant
from compare.processes import RunError
from despina import doctor
from despina.errors import DespinaError, StartError
from despina.version import VERSION
from harness import Measured, Point, engine, graphs, java

RESOURCES = 2
MAIN = "io.despina.control.ResourceMain"


class Despina:
    """The adapter."""

    name = "despina"
    least_warm_up_s = 5.0
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
        if work in ("relay", "rates", "manufacturing", *others.WORKS):
            return [Variant("default", remark="heap from the memory budget: 1 GB of segments, queues and state")]
        return []

    def start(self, trial: Trial) -> None:
        """Starts with its work."""

    def submit(self, trial: Trial) -> None:
        """Starts with its work."""

    def sample(self, trial: Trial) -> Measured:
        """Throughput and latency as it counts them; its cost is read from the kernel as everybody's."""
        if trial.work == "manufacturing":
            return jobs.run(trial)
        return others.run(trial) if trial.work in others.WORKS else self._relay(trial)

    def _relay(self, trial: Trial) -> Measured:
        graph = graphs.relay(trial.point["packet_bytes"], rate_per_s=trial.point.get("rate_per_s"))
        command = engine.Command(graph, graphs.RELAY_APART, duration_s=trial.warm_up_s + trial.seconds, warm_up_s=trial.warm_up_s)
        with trial.processes.marking(), engine.running(command, trial.folder) as under_way:
            costs = probe.look_on(trial, MAIN, RESOURCES)
            try:
                report = under_way.report()
            except DespinaError as failed:
                raise RunError(str(failed)) from failed
        latency = report["latency_ms"].get("sink") or {} if trial.point.get("rate_per_s") else {}
        return probe.figures(trial, report["operators"]["sink"]["packets_in"], report["measured_s"], costs, latency,
                             {"told": {"missing": 0, "reordered": 0}, "report": report})

    def stop(self, trial: Trial) -> None:
        """It has ended."""
