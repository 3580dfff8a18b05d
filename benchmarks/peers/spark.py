"""Spark Structured Streaming from the installed pyspark: a driver and an executor, micro-batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from despina import installed
from harness.experiment import Measured, Point
from peers import jars, jdks, peer, probe
from peers.contract import Engine, Kit, Trial, UnavailableError, Variant
from peers.nexmark import peer as query_peer
from peers.nexmark import spark as queries

EXECUTOR_MB = 2048
EXECUTOR_FLAGS = f"-Xms{EXECUTOR_MB}m -XX:+UseParallelGC"
SHUFFLE = "one executor, since Spark runs a task wherever there is room; the relay is a shuffle through files, no TCP hop"
STAGES = "real-time mode; source, relay and sink in an executor each, as Spark runs a task wherever there is room; both hops TCP"
KB = 1024
BATCH_MB = 50
BUFFER = "spark.shuffle.streaming.networkBufferSize"
WAIT = "spark.shuffle.streaming.networkBufferMaxWaitTimeMs"
CLUSTER = "spark."
"""Settings whose names begin so are the cluster's, not the job's."""
EXECUTORS = {"micro-batch": "1,2", "real-time": "3,1"}
"""How many, and the cores of each: in real-time mode every task needs one for itself."""


class Spark(Engine):
    """The adapter."""

    name = "spark"
    least_warm_up_s = 15.0
    start_s = 20.0

    def __init__(self) -> None:
        super().__init__()
        self._java = ""
        self._java_home = Path()
        self._home = Path()
        self._jar = Path()
        self._flags: list[str] = []

    def prepare(self, kit: Kit) -> None:
        """It is here: Despina brings pyspark."""
        jdk = jdks.best(17, 17, 25)
        libraries = sorted(installed.spark_jars().glob("*.jar"))
        if jdk is None or not libraries:
            raise UnavailableError("Spark needs a JDK 17 or later, and the jars of an installed pyspark")
        self._home = libraries[0].parent.parent
        self._jar = jars.compiled(kit, self.name, jdk, 17, libraries)
        self._java, self._java_home = jdk.java, jdk.home
        self._flags = installed.module_flags(jdk.feature)
        version = next(jar.stem for jar in libraries if jar.name.startswith("spark-core_")).rpartition("-")[2]
        self._facts = {"version": version, "jdk": jdk.version, "jvm_flags": EXECUTOR_FLAGS.split()}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        """Micro-batches as soon as the last one has ended; of queries also one batch; no other work."""
        if work == "nexmark":
            return queries.variants(point)
        return [_batches(point)] if work in probe.RELAYS else []

    def candidates(self, work: str, point: Point) -> Sequence[Variant]:
        """Real-time mode as it comes, and with other network buffers: their size, or after what time they are sent."""
        tried: Mapping[str, Sequence[Mapping[str, int]]] = {
            "relay": ({BUFFER: 256 * KB}, {BUFFER: 1024 * KB}, {}), "rates": ({WAIT: 1}, {WAIT: 1, BUFFER: 4 * KB}, {})}
        return [_real_time(settings) for settings in tried.get(work, ())]

    def submit(self, trial: Trial) -> None:
        """The driver, with its executor as a process of its own; of a query all is in one process."""
        if trial.work == "nexmark":
            queries.start(trial, self._java, self._flags, f"{self._jar}:{self._home}/jars/*")
            return
        settings = trial.write_settings({})
        given = trial.variant.settings
        configuration = {
            "spark.master": f"local-cluster[{EXECUTORS[given['trigger']]},{EXECUTOR_MB}]", "spark.app.name": "compare",
            "spark.executor.memory": f"{EXECUTOR_MB}m", "spark.executor.extraJavaOptions": EXECUTOR_FLAGS,
            "spark.executor.extraClassPath": str(self._jar), "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": "1", "spark.local.dir": str(trial.folder),
            **{name: value for name, value in given.items() if name.startswith(CLUSTER)},
        }
        trial.keep_configuration(configuration)
        trial.processes.start("driver", [
            self._java, "-Xmx1g", *self._flags, *(f"-D{name}={value}" for name, value in configuration.items()),
            "-cp", f"{self._jar}:{self._home}/jars/*", "io.despina.compare.spark.Submit", str(settings)],
            {"SPARK_HOME": str(self._home), "SPARK_LOCAL_IP": "127.0.0.1", "JAVA_HOME": str(self._java_home),
             "SPARK_SCALA_VERSION": "2.13"})

    def sample(self, trial: Trial) -> Measured:
        """Through the run's folder."""
        if trial.work == "nexmark":
            return query_peer.sample(trial)
        probe.wait_for(trial, lambda: bool(probe.operator_pids(trial.folder)), "its executor has started")
        return peer.sample(trial)


def _batches(point: Point) -> Variant:
    """Micro-batches; flat out of so many packets as have about the same size for all packets."""
    packets = BATCH_MB * 1_000_000 // point["packet_bytes"]
    return Variant("micro-batch", {"trigger": "micro-batch", "batch_packets": packets}, "exactly once within the query", SHUFFLE,
                   over_tcp=False)


def _real_time(settings: Mapping[str, int]) -> Variant:
    """Real-time mode with these settings of its shuffle."""
    name = ", ".join(["real-time", *(f"{key.rpartition('.')[2]} {value}" for key, value in settings.items())])
    return Variant(name, {"trigger": "real-time", **settings}, "at least once within the query", STAGES)
