"""Hazelcast (Jet): two members, each a JVM; sources and sinks on one, what stands between them on the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.experiment import Measured, Point
from harness.processes import free_ports
from peers import jars, jdks, peer, probe
from peers.contract import OPERATOR_FLAGS, Engine, Kit, Trial, UnavailableError, Variant
from peers.works import SMALL_BYTES

VERSION = "5.7.0"
MODULE_FLAGS = (
    "--add-modules=java.se", "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.management/sun.management=ALL-UNNAMED",
    "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED",
)
"""As its manual lists them."""

KB = 1024
IDLE_MAX = "hazelcast.jet.idle.cooperative.max.microseconds"
"""How long its threads sleep at most where they found nothing to do; 500 us by default."""
PROPERTY = "hazelcast."
"""Settings whose names begin so are properties of its JVMs."""
MANY = 1 << 20
"""In place of a size, of works with many queues."""


class Hazelcast(Engine):
    """The adapter."""

    name = "hazelcast"
    least_warm_up_s = 10.0
    start_s = 12.0

    def __init__(self) -> None:
        super().__init__()
        self._java = ""
        self._class_path = ""

    def prepare(self, kit: Kit) -> None:
        """Its jar from Maven Central, or those of a folder."""
        jdk = jdks.best(25, 21, 99)
        if jdk is None:
            raise UnavailableError(f"Hazelcast {VERSION} needs a JDK 21 or later, and none was found")
        home = kit.homes.get(self.name)
        libraries = sorted(home.rglob("hazelcast-*.jar")) if home else jars.resolve(
            kit, self.name, [f"com.hazelcast:hazelcast:{VERSION}"])
        if not libraries:
            raise UnavailableError(f"no hazelcast-*.jar in {home}")
        jar = jars.compiled(kit, self.name, jdk, 21, libraries)
        self._java = jdk.java
        self._class_path = ":".join(map(str, [jar, *libraries]))
        self._facts = {"version": libraries[0].stem.rpartition("-")[2], "jdk": jdk.version,
                       "jvm_flags": [*OPERATOR_FLAGS, *MODULE_FLAGS]}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        """Defaults."""
        return [] if work == "nexmark" else [Variant("default")]

    def candidates(self, work: str, point: Point) -> Sequence[Variant]:
        """Size of network packets, length of queues, threads for its tasklets (by default two in each of the two members), and
        how long these sleep.
        """
        single = {"threads": 1}
        if work == "nexmark":
            return []
        if work == "idle":
            return [Variant("one thread a member, idle for 10 ms", {**single, IDLE_MAX: 10_000}),
                    Variant("one thread a member", single)]
        if work == "rates":
            return [Variant("one thread a member", single), Variant("packets of 64 KB", {"packet_limit": 64 * KB}),
                    Variant("flow control every 10 ms", {"flow_control_ms": 10}),
                    Variant("one thread a member, idle for 50 us", {**single, IDLE_MAX: 50})]
        long = [_edges(256, 16384, single), _edges(1024, 16384, single), _edges(256, 16384)]
        short = [_edges(256, 1024, single), _edges(256, 1024)]
        return [*long, *short] if point.get("packet_bytes", MANY) <= SMALL_BYTES else [*short, *long]

    def start(self, trial: Trial) -> None:
        """Two members; the first submits as soon as the second has joined."""
        near, far = free_ports(2)
        settings = trial.write_settings({"port0": near, "port1": far})
        for index in (1, 0):
            self._member(trial, settings, index)
        probe.wait_for_file(trial, "joined")

    def _member(self, trial: Trial, settings: Path, index: int) -> None:
        properties = [f"-D{name}={value}" for name, value in trial.variant.settings.items() if name.startswith(PROPERTY)]
        trial.processes.start(f"member{index}", [
            self._java, *OPERATOR_FLAGS, *MODULE_FLAGS, *properties, "-cp", self._class_path,
            "io.despina.compare.hazelcast.Member", str(settings), str(index)])

    def sample(self, trial: Trial) -> Measured:
        """Through the run's folder."""
        return peer.sample(trial)


def _edges(packet_kb: int, queue: int, more: Mapping[str, int] | None = None) -> Variant:
    """All edges with network packets and queues of that size."""
    name = f"packets of {packet_kb} KB, queue {queue}" + (", one thread a member" if more else "")
    return Variant(name, {"packet_limit": packet_kb * KB, "queue_size": queue, **(more or {})})
