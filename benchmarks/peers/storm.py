"""Apache Storm: ZooKeeper, Nimbus, a Supervisor, and the worker processes that it forks.

ZooKeeper, Nimbus and Supervisor are bound to 127.0.0.1, the latter two by a transport of ours, since Storm has no setting for it.
Workers are reached there too, but their servers listen on every address, and no setting or plug-in changes that: run this row
on a machine that others do not reach.
"""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from despina import installed
from harness.experiment import Measured, Point
from harness.processes import free_ports
from peers import jars, jdks, peer, probe
from peers.contract import OPERATOR_FLAGS, Engine, Kit, Trial, UnavailableError, Variant
from peers.works import MANY_JOBS, SMALL_BYTES

VERSION = "2.8.3"
"""The newest 2.8 whose parts resolve whole from Maven Central."""

SNAPPY = "snappy-java-*.jar"
"""ZooKeeper's own server wants it, and Storm does not bring it, since Storm's development server binds every address: it is taken
from Spark's jars."""

ZOOKEEPER = "org.apache.zookeeper.server.ZooKeeperServerMain"
CLIENT_TIMEOUT_S = 120.0
NEWEST_JDK_17 = 2
"""Major version up to which Storm runs on Java 17; from 3 on it wants 25."""

LOG4J = """<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="WARN"><Appenders><Console name="out"><PatternLayout pattern="%d %p %c{1} %m%n"/></Console></Appenders>
<Loggers><Root level="WARN"><AppenderRef ref="out"/></Root></Loggers></Configuration>
"""

COUNTED = ("relay", "slow_sink")
"""Works that only count what comes out of order."""

MANY_OPERATORS = {"topology.executor.receive.buffer.size": 1024, "topology.bolt.wait.progressive.level2.count": 10,
                  "topology.bolt.wait.progressive.level3.sleep.millis": 10}
"""From ``MANY_JOBS`` on: hundreds of operators by default look at their empty queues a thousand times a second each, and have
room for 32768 packets. A few operators that sleep for 10 ms are only late."""

FLUSH_MS = (10, 100)
"""Of batches where throughput counts: with each flush every operator, and there may be hundreds, gets a packet of Storm's own."""

SELDOM = {**MANY_OPERATORS, "topology.spout.wait.progressive.level3.sleep.millis": 10}
"""Nobody looks often whether there is something to do."""

OFTEN = {"topology.bolt.wait.strategy": "org.apache.storm.policy.WaitStrategyPark", "topology.bolt.wait.park.microsec": 100}
"""Operators look every 100 us, in place of every millisecond after a while."""

UNACKED = "acknowledgements off"
FAST = {"topology.disable.loadaware.messaging": True, "topology.stats.sample.rate": 0.0005, "topology.spout.recvq.skips": 8}


class Storm(Engine):
    """The adapter."""

    name = "storm"
    least_warm_up_s = 30.0
    start_s = 35.0

    def __init__(self) -> None:
        super().__init__()
        self._java = ""
        self._jar = Path()
        self._home = Path()
        self._snappy = Path()

    def prepare(self, kit: Kit) -> None:
        """Its jars from Maven Central laid out as a release is, or the release in the folder that the user named."""
        given = kit.homes.get(self.name)
        if given is not None:
            self._home = given
        else:
            self._home = kit.cache / f"storm-{VERSION}"
            _lay_out(kit, self._home)
        clients = sorted(self._home.glob("lib-worker/storm-client-*.jar"))
        if not clients:
            raise UnavailableError(f"no lib-worker/storm-client-*.jar in {self._home}")
        version = clients[0].stem.removeprefix("storm-client-")
        wanted = 17 if int(version.partition(".")[0]) <= NEWEST_JDK_17 else 25
        jdk = jdks.best(wanted, wanted, wanted)
        if jdk is None:
            raise UnavailableError(f"Storm {version} wants JDK {wanted}, and none was found")
        self._java = jdk.java
        snappy = sorted(installed.spark_jars().glob(SNAPPY))
        if not snappy:
            raise UnavailableError(f"no {SNAPPY} in {installed.spark_jars()}")
        self._snappy = snappy[0]
        self._jar = jars.compiled(kit, self.name, jdk, wanted, sorted(self._home.glob("lib-worker/*.jar")))
        self._facts = {"version": version, "jdk": jdk.version, "jvm_flags": list(OPERATOR_FLAGS)}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        """Defaults but for the ackers, of which there are none."""
        return [] if work == "nexmark" else [Variant("default", {}, remark=UNACKED)]

    def candidates(self, work: str, point: Point) -> Sequence[Variant]:
        """Batches, transfer queue and flush timer.

        Batches change the order of packets. Where results depend on it, verification fails a run whose results they changed; at
        fixed rates there are none, since they are late.
        """
        if work == "nexmark":
            return []
        if work == "idle":
            return [Variant("seldom looking", {**FAST, **SELDOM}, remark=UNACKED)]
        if work in COUNTED:
            long = [_queues(100, 50000, 10), _queues(500, 50000, 10), _queues(1000, 50000, 10), _queues(1, 50000, 10)]
            short = [_queues(100, 1000, 10), _queues(1000, 1000, 10)]
            return [*long, *short] if point["packet_bytes"] <= SMALL_BYTES else [*short, *long]
        more = MANY_OPERATORS if point.get("jobs", 1) >= MANY_JOBS else {}
        single = [_queues(1, 1000, 1, more), _queues(1, 50000, 1, more)]
        batched = [_queues(100, queue, flush_ms, more) for flush_ms in FLUSH_MS for queue in (1000, 50000)]
        if work == "rates":
            return [*single, _queues(1, 1000, 1, OFTEN, ", looking often")]
        return [*single, *batched]

    def start(self, trial: Trial) -> None:
        """ZooKeeper, Nimbus, Supervisor."""
        zookeeper, nimbus, supervisor, *slots = free_ports(6)
        self._write_configuration(trial, zookeeper, nimbus, [supervisor, *slots])
        self._write_zookeeper(trial.folder, zookeeper)
        trial.processes.start("zookeeper", [
            self._java, "-Xmx256m", f"-Dlog4j2.configurationFile={trial.folder}/log4j2/cluster.xml", "-cp",
            f"{self._home}/lib/*:{self._snappy}", ZOOKEEPER, str(trial.folder / "zoo.cfg")])
        probe.wait_for(trial, lambda: _listens(zookeeper), "ZooKeeper listens")
        self._daemon(trial, "nimbus", "org.apache.storm.daemon.nimbus.Nimbus")
        self._daemon(trial, "supervisor", "org.apache.storm.daemon.supervisor.Supervisor")
        probe.wait_for(trial, lambda: _listens(nimbus), "Nimbus listens")

    def _write_configuration(self, trial: Trial, zookeeper: int, nimbus: int, others: Sequence[int]) -> None:
        folder = trial.folder
        trial.write_settings({})
        for name in ("conf", "local", "logs", "log4j2", "zookeeper"):
            (folder / name).mkdir()
        for name in ("cluster", "worker"):
            (folder / "log4j2" / f"{name}.xml").write_text(LOG4J)
        settings: Mapping[str, Any] = {
            "storm.zookeeper.servers": ["127.0.0.1"], "storm.zookeeper.port": zookeeper,
            "storm.thrift.transport": "io.despina.compare.storm.LocalTransport",
            "nimbus.seeds": ["127.0.0.1"], "nimbus.thrift.port": nimbus, "storm.local.hostname": "127.0.0.1",
            "storm.local.dir": str(folder / "local"), "storm.log4j2.conf.dir": str(folder / "log4j2"),
            "storm.workers.artifacts.dir": str(folder / "workers"),
            "supervisor.thrift.port": others[0], "supervisor.slots.ports": list(others[1:]),
            "nimbus.monitor.freq.secs": 2, "supervisor.monitor.frequency.secs": 1,
            "nimbus.childopts": "-Xmx256m", "supervisor.childopts": "-Xmx256m",
            "topology.worker.childopts": " ".join(OPERATOR_FLAGS), "worker.profiler.enabled": False,
        }
        (folder / "conf" / "storm.yaml").write_text("".join(f"{name}: {json.dumps(value)}\n" for name, value in settings.items()))
        trial.keep_configuration(settings)

    def _write_zookeeper(self, folder: Path, port: int) -> None:
        (folder / "zoo.cfg").write_text(f"tickTime=2000\ndataDir={folder}/zookeeper\nclientPortAddress=127.0.0.1\n"
                                        f"clientPort={port}\nadmin.enableServer=false\nmaxClientCnxns=0\n")

    def _flags(self, folder: Path, name: str, log: str) -> list[str]:
        return [f"-Ddaemon.name={name}", f"-Dstorm.home={self._home}", f"-Dstorm.log.dir={folder}/logs", "-Dstorm.options=",
                f"-Dstorm.conf.file={folder}/conf/storm.yaml", "-Djava.library.path=", f"-Dlogfile.name={name}.log",
                f"-Dlog4j.configurationFile={folder}/log4j2/{log}.xml", f"-Dlog4j2.configurationFile={folder}/log4j2/{log}.xml"]

    def _daemon(self, trial: Trial, name: str, main: str) -> None:
        trial.processes.start(name, [
            self._java, "-Xmx256m", *self._flags(trial.folder, name, "cluster"), "-cp",
            f"{trial.folder}/conf:{self._home}/lib/*:{self._jar}", main], self._environment(trial.folder))

    def _environment(self, folder: Path) -> dict[str, str]:
        return {"JAVA_HOME": str(Path(self._java).parent.parent), "STORM_CONF_DIR": str(folder / "conf")}

    def submit(self, trial: Trial) -> None:
        """By the topology's main, as the command ``storm jar`` does."""
        trial.processes.call("client", [
            self._java, *self._flags(trial.folder, "client", "cluster"), f"-Dstorm.jar={self._jar}", "-Dstorm.dependency.jars=",
            "-Dstorm.dependency.artifacts={}", "-cp", f"{trial.folder}/conf:{self._home}/lib-worker/*:{self._jar}",
            "io.despina.compare.storm.Submit", str(trial.folder / "job.properties")], CLIENT_TIMEOUT_S,
            self._environment(trial.folder))

    def sample(self, trial: Trial) -> Measured:
        """Through the run's folder."""
        if trial.work == "idle":
            probe.wait_for(trial, lambda: len(probe.operator_pids(trial.folder)) > 1, "its operators have started")
        return peer.sample(trial)


def _queues(batch: int, queue: int, flush_ms: int, more: Mapping[str, Any] | None = None, words: str = "") -> Variant:
    """Batches, transfer queue and flush timer as given, and what is best in any case.

    :param words: for the name, of what more there is
    """
    settings = {**FAST, **(more or {}), "topology.producer.batch.size": batch, "topology.transfer.batch.size": batch,
                "topology.transfer.buffer.size": queue, "topology.batch.flush.interval.millis": flush_ms}
    remark = f"{UNACKED}; reorders with batches of {batch}" if batch > 1 else f"{UNACKED}; no batches, with which it reorders"
    return Variant(f"batch {batch}, queue {queue}, flush {flush_ms} ms{words}", settings, remark=remark)


def _lay_out(kit: Kit, home: Path) -> None:
    """The folders of a release: ``lib-worker`` for workers, ``lib`` for daemons."""
    if home.is_dir():
        return
    worker = jars.resolve(kit, "storm-worker", [f"org.apache.storm:storm-client:{VERSION}"])
    daemon = jars.resolve(kit, "storm-daemon", [f"org.apache.storm:storm-{part}:{VERSION}" for part in ("server", "core")],
                          excludes=["storm-clojure", "storm-hdfs", "slf4j-reload4j", "reload4j"])
    part = home.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    for name, libraries in (("lib-worker", worker), ("lib", daemon), ("extlib", []), ("extlib-daemon", [])):
        (part / name).mkdir(parents=True)
        for library in libraries:
            shutil.copy(library, part / name)
    part.replace(home)


def _listens(port: int) -> bool:
    with socket.socket() as probe_socket:
        return probe_socket.connect_ex(("127.0.0.1", port)) == 0
